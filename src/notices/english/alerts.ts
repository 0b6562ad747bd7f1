export const ALERTS = {
  alertStarted: 'Homeport alert: {{problem}}',
  alertContinues: 'Homeport alert continues: {{problem}}',
  alertEnded: 'Homeport alert ended: {{problem}}',
  alertTest: 'Homeport test alert: this channel receives alerts.',
  alertSince: 'Since {{since}}',
  alertSinceAt: 'Since {{since}}, server {{node}}',
  alertDisk: 'The disk of the data directory has {{free}} MB free of {{total}} MB. Free space or enlarge the disk.',
  alertDatabaseDisk: 'The disk of the database is full. Nothing can be stored until there is space.',
  alertDatabaseDown: 'The server cannot reach its database. Requests fail.',
  alertMail: 'Mails cannot be sent: {{waiting}} retried, {{failed}} given up in the last hour. Check the mail server.',
  alertPush:
    'Pushes through {{channel}} fail: {{failed}} of {{devices}} devices in the last ten minutes. Check the credentials.',
  alertEngine: 'The engines of these apps do not respond: {{apps}}.',
  alertRedis: 'A server is not connected to Redis. Servers do not notify each other until it recovers.',
  alertCrashes: 'The server ended unexpectedly {{times}} times in the last hour. Check its log and its memory.',
  alertBackup: 'The last backup failed: {{reason}}',
  alertWalArchive:
    'The write-ahead log cannot be archived: {{reason}} It stays on the disk of the database until it can be archived.',
  alertCertificate: 'The certificate for {{domain}} expires in {{days}} days. Last error of its renewal: {{reason}}',
  alertNoCertificate: 'There is no certificate for {{domain}}: {{reason}}',
  alertPostgresCrashes:
    'The embedded PostgreSQL ended unexpectedly {{times}} times in the last hour. Check the log and the memory of the machine.',
} as const
