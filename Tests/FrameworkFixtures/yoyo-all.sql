BEGIN TRANSACTION;
CREATE TABLE "_yoyo_log" (
            "id" VARCHAR(36),
            "migration_hash" VARCHAR(64),
            "migration_id" VARCHAR(255),
            "operation" VARCHAR(10),
            "username" VARCHAR(255),
            "hostname" VARCHAR(255),
            "comment" VARCHAR(255),
            "created_at_utc" TIMESTAMP,
            PRIMARY KEY ("id")
        );
INSERT INTO "_yoyo_log" VALUES('00000000-0000-4000-8000-000000000000','991f16ce8ef1dbdcb796c1e55bdb3fb3dba3a91db38e384f2d0d89bd49b98f8b','0001_notes','apply','app','localhost',NULL,'2026-01-02T03:04:05');
INSERT INTO "_yoyo_log" VALUES('00000000-0000-4000-8000-000000000001','3ddc018eecade1e086b0175e911c494b6488b2c8cfbe6ee20de8a1dd33db2d82','0002_tags','apply','app','localhost',NULL,'2026-01-02T03:04:05');
CREATE TABLE "_yoyo_migration" (
            "migration_hash" VARCHAR(64),
            "migration_id" VARCHAR(255),
            "applied_at_utc" TIMESTAMP,
            PRIMARY KEY ("migration_hash")
        );
INSERT INTO "_yoyo_migration" VALUES('991f16ce8ef1dbdcb796c1e55bdb3fb3dba3a91db38e384f2d0d89bd49b98f8b','0001_notes','2026-01-02T03:04:05');
INSERT INTO "_yoyo_migration" VALUES('3ddc018eecade1e086b0175e911c494b6488b2c8cfbe6ee20de8a1dd33db2d82','0002_tags','2026-01-02T03:04:05');
CREATE TABLE "_yoyo_version" (
            "version" INT NOT NULL PRIMARY KEY,
            "installed_at_utc" TIMESTAMP
        );
INSERT INTO "_yoyo_version" VALUES(2,'2026-01-02 03:04:05');
CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
CREATE TABLE tag (name TEXT);
CREATE TABLE "yoyo_lock" ("locked" INT DEFAULT 1, "ctime" TIMESTAMP,"pid" INT NOT NULL,PRIMARY KEY ("locked"));
COMMIT;
