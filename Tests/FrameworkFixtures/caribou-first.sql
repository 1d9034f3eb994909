BEGIN TRANSACTION;
CREATE TABLE migration_version
                  ( version text );
INSERT INTO "migration_version" VALUES('20260101000000');
CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
COMMIT;
