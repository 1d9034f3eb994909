BEGIN TRANSACTION;
CREATE TABLE migration_version
                  ( version text );
INSERT INTO "migration_version" VALUES('20260201000000');
CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
CREATE TABLE tag (name TEXT);
COMMIT;
