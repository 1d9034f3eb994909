BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('1a1a1a1a1a1a');
CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
COMMIT;
