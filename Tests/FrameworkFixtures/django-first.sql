BEGIN TRANSACTION;
CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
INSERT INTO "django_migrations" VALUES(1,'notes','0001_initial','2026-01-02 03:04:05');
CREATE TABLE "notes_note" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "body" text NOT NULL);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('django_migrations',1);
COMMIT;
