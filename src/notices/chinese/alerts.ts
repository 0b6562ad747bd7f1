import type { Translation } from '../catalog.ts'
import type { ALERTS as ENGLISH } from '../english/alerts.ts'

export const ALERTS: Translation<typeof ENGLISH> = {
  alertStarted: 'Homeport 告警：{{problem}}',
  alertContinues: 'Homeport 告警仍在持续：{{problem}}',
  alertEnded: 'Homeport 告警已恢复：{{problem}}',
  alertTest: 'Homeport 测试告警：此渠道可以收到告警。',
  alertSince: '开始时间：{{since}}',
  alertSinceAt: '开始时间：{{since}}，服务器：{{node}}',
  alertDisk: '数据目录所在磁盘剩余 {{free}} MB，共 {{total}} MB。请释放空间或扩容磁盘。',
  alertDatabaseDisk: '数据库所在磁盘已满，有可用空间之前无法写入任何数据。',
  alertDatabaseDown: '服务器无法连接数据库，请求会失败。',
  alertMail: '邮件无法发送：{{waiting}} 封正在重试，最近一小时放弃了 {{failed}} 封。请检查邮件服务器。',
  alertPush: '通过 {{channel}} 推送失败：最近十分钟 {{devices}} 台设备中有 {{failed}} 台失败。请检查推送凭证。',
  alertEngine: '以下应用的云引擎没有响应：{{apps}}。',
  alertRedis: '有服务器未连接到 Redis，恢复之前各服务器之间收不到彼此的通知。',
  alertCrashes: '服务器在最近一小时内异常退出 {{times}} 次。请检查日志和内存。',
  alertBackup: '最近一次备份失败：{{reason}}',
  alertWalArchive: '预写日志无法归档：{{reason}}。归档成功之前，日志会保留在数据库所在磁盘上。',
  alertCertificate: '{{domain}} 的证书将在 {{days}} 天后过期。最近一次续期错误：{{reason}}',
  alertNoCertificate: '{{domain}} 没有证书：{{reason}}',
  alertPostgresCrashes: '内置的 PostgreSQL 在最近一小时内异常退出 {{times}} 次。请检查日志和机器内存。',
}
