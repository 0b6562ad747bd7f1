/** Findings of `homeport doctor`. A problem has a second text, `…Fix`. The ids of findings are derived from these codes. */
export const DOCTOR = {
  doctorNode: 'Node {{version}}',
  doctorNodeOld: 'Node {{version}}; Homeport requires {{required}} or later',
  doctorNodeOldFix: 'Install Node {{required}} or later.',
  doctorServerRunning: 'server: running, process {{pid}}, {{url}}',
  doctorServerStarting: 'server: process {{pid}} is starting',
  doctorServerStopped: 'server: not running',
  doctorDirectoryReadOnly: 'the data directory {{path}} is not writable',
  doctorDirectoryReadOnlyFix: 'Run Homeport as the user who owns the directory, or run: chown -R <user> {{path}}',
  doctorDirectoryNewer:
    'the data directory {{path}} was created by PostgreSQL {{found}}; this Homeport includes PostgreSQL {{ours}}',
  doctorDirectoryNewerFix:
    'Start the Homeport version that created the directory, or restore a backup made before the upgrade.',
  doctorDirectoryOlder:
    'the data directory {{path}} was created by PostgreSQL {{found}}; this Homeport includes PostgreSQL {{ours}}',
  doctorDirectoryOlderFix:
    'Start the earlier Homeport version, dump the database with pg_dump, and restore it into a new data directory.',
  doctorDisk: '{{free}} free in the data directory {{path}}',
  doctorDiskLittle: '{{free}} free in the data directory {{path}}',
  doctorDiskLittleFix: 'Delete files that you do not need, or enlarge the disk.',
  doctorDiskReserve:
    '{{free}} free in the data directory {{path}}: uploads are rejected below {{reserve}} (--disk-reserve)',
  doctorDiskReserveFix: 'Free at least {{reserve}} on this disk, or lower --disk-reserve.',
  doctorMemory: '{{memory}} of memory',
  doctorMemoryLittle: '{{memory}} of memory; a server with its own database needs {{required}}',
  doctorMemoryLittleFix: 'Give the machine or container at least {{required}}, or add swap space.',
  doctorOpenFiles: 'open files: at most {{limit}}',
  doctorOpenFilesFew: 'open files: the limit of {{limit}} is low, because each connection needs one',
  doctorOpenFilesFewFix:
    'Set LimitNOFILE=65536 in the systemd unit, ulimits.nofile in Compose, or run "ulimit -n 65536" before the start.',
  doctorEmbedded: 'embedded PostgreSQL at {{path}}',
  doctorEmbeddedMissing: '{{reason}}',
  doctorEmbeddedMissingFix:
    'Install the package again without --omit=optional, or use a PostgreSQL of your own with --database-url.',
  doctorDatabase: 'PostgreSQL {{version}}',
  doctorDatabaseUnreachable: 'cannot connect to the database: {{reason}}',
  doctorDatabaseUnreachableFix:
    'Check host, port, user and password of --database-url, and that the server runs and accepts connections from this machine (listen_addresses, pg_hba.conf, firewall).',
  doctorDatabaseNotOpened: 'the embedded database was not examined: {{reason}}',
  doctorDatabaseNotOpenedFix: 'Run "homeport doctor" as the user who runs the server, without other options.',
  doctorDatabaseOld: 'PostgreSQL {{version}}; 15 or later is required',
  doctorDatabaseOldFix: 'Upgrade the database server to PostgreSQL 15 or later.',
  doctorDatabaseEncoding: 'database encoding {{encoding}}; UTF8 is required',
  doctorDatabaseEncodingFix:
    'Create the database with: CREATE DATABASE homeport ENCODING UTF8 LOCALE "C.UTF-8" TEMPLATE template0',
  doctorDatabaseCollation:
    'database collation {{collation}}; C or C.UTF-8 sorts strings by code point, as LeanCloud does',
  doctorDatabaseCollationFix:
    'Create the database with: CREATE DATABASE homeport ENCODING UTF8 LOCALE "C.UTF-8" TEMPLATE template0',
  doctorDatabaseReadOnly: 'the database is read-only',
  doctorDatabaseReadOnlyFix: 'Name the primary in --database-url, or set default_transaction_read_only to off.',
  doctorDatabaseNoSchemas: 'the database user cannot create schemas',
  doctorDatabaseNoSchemasFix: 'Run as the owner of the database: GRANT CREATE ON DATABASE <database> TO <user>',
  doctorDatabaseNoCube: 'the PostgreSQL extension cube is missing',
  doctorDatabaseNoCubeFix: 'Install the package postgresql-contrib on the database server.',
  doctorDatabaseFull: 'the disk of the database is full',
  doctorDatabaseFullFix: 'Free space on the disk of the database, or enlarge it.',
  doctorMigrations: 'database schema: up to date (migration {{number}})',
  doctorMigrationsNone: 'database schema: the first start creates it',
  doctorMigrationsPending: '{{what}}: at migration {{applied}}, this program has {{known}}',
  doctorMigrationsPendingFix: 'Start the server: it applies the missing migrations. Back up first.',
  doctorMigrationsNewer: '{{what}} was migrated by a newer Homeport: migration {{applied}}, this program has {{known}}',
  doctorMigrationsNewerFix: 'Start that newer version again, or restore a backup made before the upgrade.',
  doctorFiles: 'files: stored in the {{place}}',
  doctorFilesLater: 'files: will be stored in the folder {{path}}',
  doctorFilesUnusable: '{{reason}}',
  doctorFilesUnusableFix:
    'Check bucket, region, endpoint and access key in --files-url, and that the key may read, write and delete objects; for a folder, that it exists, is mounted, and belongs to the user of the server.',
  doctorFilesNotShared:
    'files are stored in the data directory of this machine: several nodes need a shared folder (--files-url file:///…) or S3',
  doctorFilesNotSharedFix: 'Set --files-url to a shared folder or to S3, or ignore this with a single node.',
  doctorSearch: 'search server: {{what}}',
  doctorSearchUnusable: 'cannot use the search server: {{reason}}',
  doctorSearchUnusableFix:
    'Check --search-url, its user and password, and that the search server runs and accepts connections from this machine.',
  doctorPictures: 'image cache: {{path}}',
  doctorPicturesUnusable:
    'image cache: {{path}} must be a writable folder; without it, each image is processed again for each request',
  doctorPicturesUnusableFix: 'Remove {{path}}: the next start creates it.',
  doctorProxies: 'trusted proxies: {{ranges}}; X-Forwarded-* and Forwarded from other addresses are ignored',
  doctorProxiesUnnamed:
    '--admin-addresses is set and --trusted-proxies is not: --admin-addresses and security.masterKeyAddresses only trust proxies named in --trusted-proxies',
  doctorProxiesUnnamedFix: 'Name the proxies in front of this server in --trusted-proxies, or set it to none.',
  doctorProxiesWide:
    'each machine in {{ranges}} can claim any address for --admin-addresses and security.masterKeyAddresses',
  doctorProxiesWideFix: 'Name only the addresses of your proxies in --trusted-proxies.',
  doctorSmtp: 'mail server {{server}}: connection and login succeed',
  doctorSmtpNone: 'no mail server is set (--smtp-url): mail is written to <data>/outbox',
  doctorSmtpNoneFix: 'Set HOMEPORT_SMTP_URL=smtp://user:password@host:587.',
  doctorSmtpUnreachable: 'cannot connect to the mail server {{server}}: {{reason}}',
  doctorSmtpUnreachableFix:
    'Check host and port of --smtp-url. Many hosting companies block port 25: use 587 (smtp:) or 465 (smtps:).',
  doctorSmtpTls: 'no encrypted connection to the mail server {{server}}: {{reason}}',
  doctorSmtpTlsFix:
    'Use the host name of its certificate in --smtp-url, smtps: for port 465 and smtp: for port 587, and have its certificate renewed if it is invalid.',
  doctorSmtpLogin: 'the mail server {{server}} rejects the login: {{reason}}',
  doctorSmtpLoginFix:
    'Check user and password in --smtp-url, percent-encoded. Many mail services need an application password or a token.',
  doctorSmtpPlain: 'the mail server {{server}} does not offer STARTTLS: the password is sent unencrypted',
  doctorSmtpPlainFix: 'Use smtps:// with port 465, or enable STARTTLS on the mail server.',
  doctorSmtpSender: 'mail is sent from {{sender}}, which most mail servers reject',
  doctorSmtpSenderFix: 'Use a mail address as the user of --smtp-url: smtp://name%40example.org:password@host:587',
  doctorRedis: 'Redis {{version}} at {{server}}',
  doctorRedisUnreachable: 'cannot connect to Redis at {{server}}: {{reason}}',
  doctorRedisUnreachableFix: 'Start Redis, and check host and port of --redis-url (rediss: for TLS).',
  doctorRedisLogin: 'Redis at {{server}} rejects the login: {{reason}}',
  doctorRedisLoginFix: 'Check user and password in --redis-url: redis://:password@host:6379',
  doctorRedisOld: 'Redis {{version}} at {{server}}; 6 or later is required',
  doctorRedisOldFix: 'Upgrade to Redis 6 or later, or Valkey.',
  doctorDns: '{{host}} has the addresses {{addresses}}',
  doctorDnsUnresolved: '{{host}} has no address: {{reason}}',
  doctorDnsUnresolvedFix: 'Create an A or AAAA record for {{host}} that contains the public address of this server.',
  doctorPublicUrl: 'public URL {{url}}: leads to this server and accepts WebSocket connections',
  doctorPublicUrlUnchecked: 'public URL {{url}}: checked only while the server runs',
  doctorPublicUrlNone:
    'no public URL is set (--public-url): links in mail lead to localhost, and messaging clients connect to the host that trusted proxies report',
  doctorPublicUrlNoneFix: 'Set HOMEPORT_PUBLIC_URL to the URL at which clients reach this server.',
  doctorPublicUrlHttp: 'the public URL {{url}} is http: messaging connections are unencrypted (ws)',
  doctorPublicUrlHttpFix: 'Serve the URL with TLS and set --public-url to https://….',
  doctorPublicUrlUnreachable: 'this server cannot reach its public URL {{url}}: {{reason}}',
  doctorPublicUrlUnreachableFix:
    'Check the DNS record, the firewall (ports 80 and 443), and that the reverse proxy runs. Some routers do not let a server reach its own public address; then test the URL from another network.',
  doctorPublicUrlOther: 'the public URL {{url}} leads to another server (status {{status}})',
  doctorPublicUrlOtherFix:
    'Check that --public-url has the right host and path, that its DNS record contains the address of this server, and that the reverse proxy forwards to {{local}}.',
  doctorPublicUrlNoWebSocket: 'the public URL {{url}} does not accept WebSocket connections: {{reason}}',
  doctorPublicUrlNoWebSocketFix:
    'Forward WebSocket upgrades in the reverse proxy. nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";',
  doctorCertificate: 'certificate of {{host}}: valid for {{days}} more days',
  doctorCertificateUnread: 'no TLS connection to {{host}}: {{reason}}',
  doctorCertificateUnreadFix:
    'Check that the reverse proxy serves TLS on this host and port, and has a certificate for it.',
  doctorCertificateExpired: 'the certificate of {{host}} expired on {{date}}',
  doctorCertificateExpiredFix: 'Renew the certificate, and check why it was not renewed automatically.',
  doctorCertificateExpiring: 'the certificate of {{host}} expires on {{date}}, in {{days}} days',
  doctorCertificateExpiringFix: 'Renew the certificate, and check why it was not renewed automatically.',
  doctorCertificateName: 'the certificate of {{host}} is for other names: {{names}}',
  doctorCertificateNameFix: 'Get a certificate that includes {{host}}.',
  doctorCertificateUntrusted: 'clients do not trust the certificate of {{host}}: {{reason}}',
  doctorCertificateUntrustedFix:
    'Configure the full chain (fullchain.pem, certificate and intermediate certificates) of a public authority in the reverse proxy.',
  doctorClock: 'clock: within {{seconds}} s of {{reference}}',
  doctorClockUnchecked: 'clock: not compared; pass --clock-url to compare it with an HTTP server',
  doctorClockUnread: 'clock: {{reference}} returned no time: {{reason}}',
  doctorClockUnreadFix: 'Pass the URL of another HTTP server as --clock-url.',
  doctorClockWrong: 'the clock of this machine is {{seconds}} s {{direction}} of {{reference}}',
  doctorClockWrongFix:
    'Enable time synchronization: timedatectl set-ntp true. With a wrong clock, S3 requests, push tokens and one-time codes fail.',
  doctorClockAhead: 'ahead',
  doctorClockBehind: 'behind',
  doctorEngine: 'app {{app}}: the {{environment}} engine responds',
  doctorEngineDown: 'app {{app}}: the {{environment}} engine at {{url}} does not respond: {{reason}}',
  doctorEngineDownFix:
    'Start the engine, and check engine.{{environment}} of the app. An engine on another machine of a private network also needs --allow-private-addresses.',
  doctorPush: 'app {{app}}: push credential {{name}} of {{provider}} is readable',
  doctorPushValid: 'app {{app}}: push certificate {{name}} is valid for {{days}} more days',
  doctorPushUnreadable: 'app {{app}}: push credential {{name}} of {{provider}} is unreadable: {{reason}}',
  doctorPushUnreadableFix:
    'Upload the complete file again: homeport app set {{app}} push.{{provider}} …, or the page Push of the console.',
  doctorPushExpired: 'app {{app}}: push certificate {{name}} expired on {{date}}',
  doctorPushExpiredFix: 'Create a new certificate at Apple, or use a token key (.p8), which does not expire.',
  doctorPushExpiring: 'app {{app}}: push certificate {{name}} expires on {{date}}, in {{days}} days',
  doctorPushExpiringFix: 'Create a new certificate at Apple, or use a token key (.p8), which does not expire.',
  doctorClasses: 'app {{app}}: no class with sensitive field names is open to everyone',
  doctorClassOpen:
    'app {{app}}: everyone can {{operations}} objects of {{className}}, which has these fields: {{fields}}',
  doctorClassOpenFix:
    'Restrict the class: homeport class set {{className}} --app {{app}} --permission find=users …, set ACLs on its objects, or hide the fields.',
  doctorClassOpenToClients: 'app {{app}}: everyone can {{operations}} objects of the built-in class {{className}}',
  doctorClassOpenToClientsFix:
    'Restrict these operations to master, the default: the page Classes of the console, or homeport class set.',
  doctorAppsUnread: 'apps were not examined: {{reason}}',
  doctorAppsUnreadFix: 'Fix the database first, then run "homeport doctor" again.',
  doctorCheckFailed: 'the check "{{check}}" failed: {{reason}}',
  doctorCheckFailedFix: 'Run "homeport doctor" again. If it fails again, report this as a bug.',
  doctorCheckTimedOut: 'the check "{{check}}" did not end within {{seconds}} s',
  doctorCheckTimedOutFix: 'Check whether a firewall drops connections to the address of this check.',
} as const
