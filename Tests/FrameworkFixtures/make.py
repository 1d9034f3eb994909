# SPDX-License-Identifier: Apache-2.0
"""Makes the databases of this folder with the frameworks themselves, and writes each as SQL.

    python3 -m venv venv
    venv/bin/pip install alembic django yoyo-migrations peewee-migrate caribou aerich tortoise-orm \
        sqlite-utils sqlite-migrate piccolo aiosqlite
    venv/bin/python make.py

The versions of the frameworks are in made-by.json. What each database is to be recognised as stands in
FrameworkFixtureTests; the tests need neither Python nor a framework.
"""
import contextlib, datetime, json, os, pathlib, re, sqlite3, subprocess, sys, tempfile, textwrap
from importlib.metadata import version

HERE = pathlib.Path(__file__).resolve().parent
MADE_BY = {}
TODAY = datetime.datetime.now(datetime.timezone.utc)
# Times of this run, and the process that holds the lock of yoyo.
SAME = {
    rf"{TODAY:%Y-%m-%d}([ T])\d\d:\d\d:\d\d(\.\d+)?(\+00:00)?": r"2026-01-02\g<1>03:04:05",
    rf"{TODAY:%Y%m%d}\d{{6}}": "20260102030405",
    r"(\"yoyo_lock\" VALUES\(1,'[^']*'),\d+": r"\g<1>,4711",
}


def dump(name, path, *packages):
    """Writes a database as SQL; what is another one every time becomes the same."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        lines = list(database.iterdump())
        pragmas = [
            f"PRAGMA {pragma} = {value};"
            for pragma in ("user_version", "application_id")
            if (value := database.execute(f"PRAGMA {pragma}").fetchone()[0])
        ]
    text = "\n".join(lines + pragmas) + "\n"
    for pattern, same in SAME.items():
        text = re.sub(pattern, same, text)
    identifiers = dict.fromkeys(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text))
    for number, identifier in enumerate(identifiers):
        text = text.replace(identifier, f"00000000-0000-4000-8000-{number:012}")
    (HERE / f"{name}.sql").write_text(text)
    MADE_BY[name] = {package: version(package) for package in packages}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))


def run(folder, *arguments, **environment):
    """Runs a tool of the framework in a folder of its own."""
    subprocess.run(arguments, cwd=folder, check=True, capture_output=True, env=os.environ | environment)


def tool(name):
    return str(pathlib.Path(sys.executable).parent / name)


def alembic(folder):
    from alembic import command
    from alembic.config import Config

    def revision(name, down, statement):
        write(
            folder / f"scripts/versions/{name}.py",
            f"""\
            from alembic import op
            revision, down_revision = {name!r}, {down!r}
            def upgrade(): op.execute({statement!r})
            def downgrade(): pass
            """,
        )

    write(
        folder / "scripts/env.py",
        """\
        from alembic import context
        from sqlalchemy import create_engine
        with create_engine(context.config.get_main_option("sqlalchemy.url")).connect() as connection:
            context.configure(connection=connection)
            with context.begin_transaction():
                context.run_migrations()
        """,
    )
    revision("1a1a1a1a1a1a", None, "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
    revision("2b2b2b2b2b2b", "1a1a1a1a1a1a", "ALTER TABLE note ADD COLUMN made TEXT")
    revision("3c3c3c3c3c3c", "1a1a1a1a1a1a", "CREATE TABLE tag (name TEXT)")
    revision("4d4d4d4d4d4d", ("2b2b2b2b2b2b", "3c3c3c3c3c3c"), "CREATE INDEX tags ON tag (name)")
    path = folder / "app.db"
    config = Config()
    config.set_main_option("script_location", str(folder / "scripts"))
    config.set_main_option("sqlalchemy.url", f"sqlite:///{path}")
    for state, targets in {
        "first": ["1a1a1a1a1a1a"], "two-heads": ["2b2b2b2b2b2b", "3c3c3c3c3c3c"], "merged": ["4d4d4d4d4d4d"],
    }.items():
        for target in targets:
            command.upgrade(config, target)
        dump(f"alembic-{state}", path, "alembic")


def django(folder):
    write(
        folder / "manage.py",
        """\
        import sys, django
        from django.conf import settings
        settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "notes"],
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "app.db"}}, USE_TZ=False,
            DEFAULT_AUTO_FIELD="django.db.models.BigAutoField")
        django.setup()
        from django.core.management import call_command
        call_command(*sys.argv[1:], verbosity=0)
        """,
    )
    write(folder / "notes/__init__.py", "")
    write(folder / "notes/migrations/__init__.py", "")
    for name, dependencies, operation in (
        ("0001_initial", [], 'CreateModel("Note", [("id", models.AutoField(primary_key=True)), ("body", models.TextField())])'),
        ("0002_note_made", [("notes", "0001_initial")], 'AddField("Note", "made", models.DateField(null=True))'),
    ):
        write(
            folder / f"notes/migrations/{name}.py",
            f"""\
            from django.db import migrations, models
            class Migration(migrations.Migration):
                dependencies = {dependencies!r}
                operations = [migrations.{operation}]
            """,
        )
    run(folder, sys.executable, "manage.py", "migrate", "notes", "0001")
    dump("django-first", folder / "app.db", "django")
    run(folder, sys.executable, "manage.py", "migrate")
    dump("django-all", folder / "app.db", "django")


def yoyo(folder):
    from yoyo import get_backend, read_migrations

    write(folder / "steps/0001_notes.sql", "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
    write(folder / "steps/0002_tags.sql", "CREATE TABLE tag (name TEXT)")
    write(folder / "steps/0002_tags.rollback.sql", "DROP TABLE tag")
    backend = get_backend(f"sqlite:///{folder / 'app.db'}")
    steps = read_migrations(str(folder / "steps"))
    with backend.lock():
        backend.apply_migrations(backend.to_apply(steps))
    dump("yoyo-all", folder / "app.db", "yoyo-migrations")
    with backend.lock():
        backend.rollback_migrations(backend.to_rollback(steps)[:1])
    dump("yoyo-rolled-back", folder / "app.db", "yoyo-migrations")
    with backend.lock():
        dump("yoyo-locked", folder / "app.db", "yoyo-migrations")


def peewee(folder):
    from peewee import SqliteDatabase
    from peewee_migrate import Router

    for name, statement in (
        ("001_notes", "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)"), ("002_tags", "CREATE TABLE tag (name TEXT)"),
    ):
        write(
            folder / f"steps/{name}.py",
            f"""\
            def migrate(migrator, database, fake=False, **kwargs): migrator.sql({statement!r})
            def rollback(migrator, database, fake=False, **kwargs): pass
            """,
        )
    router = Router(SqliteDatabase(str(folder / "app.db")), migrate_dir=str(folder / "steps"))
    router.run("001_notes")
    dump("peewee-first", folder / "app.db", "peewee-migrate", "peewee")
    router.run()
    dump("peewee-all", folder / "app.db", "peewee-migrate", "peewee")


def caribou(folder):
    import caribou as tool

    for name, statement in (
        ("20260101000000_notes", "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)"),
        ("20260201000000_tags", "CREATE TABLE tag (name TEXT)"),
    ):
        write(
            folder / f"steps/{name}.py",
            f"""\
            def upgrade(connection): connection.execute({statement!r})
            def downgrade(connection): pass
            """,
        )
    tool.upgrade(str(folder / "app.db"), str(folder / "steps"), "20260101000000")
    dump("caribou-first", folder / "app.db", "caribou")
    tool.upgrade(str(folder / "app.db"), str(folder / "steps"))
    dump("caribou-all", folder / "app.db", "caribou")


def aerich(folder):
    write(
        folder / "models.py",
        """\
        from tortoise import Model, fields
        class Note(Model):
            id = fields.IntField(primary_key=True)
            body = fields.TextField()
        """,
    )
    write(
        folder / "settings.py",
        """\
        CONFIG = {"connections": {"default": "sqlite://app.db"},
            "apps": {"models": {"models": ["models", "aerich.models"], "default_connection": "default"}}}
        """,
    )
    write(folder / "pyproject.toml", "")
    run(folder, tool("aerich"), "init", "-t", "settings.CONFIG", PYTHONPATH=str(folder))
    run(folder, tool("aerich"), "init-db", PYTHONPATH=str(folder))
    dump("aerich-first", folder / "app.db", "aerich", "tortoise-orm")


def sqlite_utils(folder):
    from sqlite_migrate import Migrations
    from sqlite_utils import Database

    steps = Migrations("notes")

    @steps()
    def first(database): database["note"].create({"id": int, "body": str}, pk="id")

    @steps()
    def second(database): database["note"].create_index(["body"])

    database = Database(str(folder / "app.db"))
    steps.apply(database, stop_before="second")
    dump("sqlite-migrate-first", folder / "app.db", "sqlite-migrate", "sqlite-utils")
    steps.apply(database)
    database.close()
    dump("sqlite-migrate-all", folder / "app.db", "sqlite-migrate", "sqlite-utils")


def piccolo(folder):
    write(
        folder / "piccolo_conf.py",
        """\
        from piccolo.conf.apps import AppRegistry
        from piccolo.engine.sqlite import SQLiteEngine
        DB = SQLiteEngine(path="app.db")
        APP_REGISTRY = AppRegistry(apps=["notes.piccolo_app"])
        """,
    )
    write(folder / "notes/__init__.py", "")
    write(
        folder / "notes/piccolo_app.py",
        """\
        import os
        from piccolo.conf.apps import AppConfig
        APP_CONFIG = AppConfig(app_name="notes", table_classes=[],
            migrations_folder_path=os.path.join(os.path.dirname(__file__), "piccolo_migrations"))
        """,
    )
    write(folder / "notes/piccolo_migrations/__init__.py", "")
    for number, column in ((1, "body"), (2, "made")):
        name = f"2026-0{number}-01T00:00:00:000000"
        write(
            folder / f"notes/piccolo_migrations/notes_{number}.py",
            f"""\
            from piccolo.apps.migrations.auto.migration_manager import MigrationManager
            ID, VERSION, DESCRIPTION = {name!r}, "1", ""
            async def forwards(): return MigrationManager(migration_id=ID, app_name="notes", description="")
            """,
        )
    run(folder, tool("piccolo"), "migrations", "forwards", "notes", "2026-01-01T00:00:00:000000")
    dump("piccolo-first", folder / "app.db", "piccolo")
    run(folder, tool("piccolo"), "migrations", "forwards", "notes")
    dump("piccolo-all", folder / "app.db", "piccolo")


if __name__ == "__main__":
    os.environ.update(LOGNAME="app", TZ="UTC")
    for make in (alembic, django, yoyo, peewee, caribou, aerich, sqlite_utils, piccolo):
        with tempfile.TemporaryDirectory() as folder:
            make(pathlib.Path(folder))
        print("made", make.__name__)
    (HERE / "made-by.json").write_text(json.dumps(MADE_BY, indent=2, sort_keys=True) + "\n")
