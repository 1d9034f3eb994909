BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('4d4d4d4d4d4d');
CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, made TEXT);
CREATE TABLE tag (name TEXT);
CREATE INDEX tags ON tag (name);
COMMIT;
