import { administratorsZh } from '../areas/administrators/texts/zh.ts'
import { appsZh } from '../areas/apps/texts/zh.ts'
import { backupsZh } from '../areas/backups/texts/zh.ts'
import { classesZh } from '../areas/classes/texts/zh.ts'
import { cloudCodeZh } from '../areas/cloud-code/texts/zh.ts'
import { connectZh } from '../areas/connect/texts/zh.ts'
import { dataZh } from '../areas/data/texts/zh.ts'
import { entryZh } from '../areas/entry/texts/zh.ts'
import { filesZh } from '../areas/files/texts/zh.ts'
import { healthZh } from '../areas/health/texts/zh.ts'
import { messagingZh } from '../areas/messaging/texts/zh.ts'
import { movingInZh } from '../areas/moving-in/texts/zh.ts'
import { overviewZh } from '../areas/overview/texts/zh.ts'
import { pushZh } from '../areas/push/texts/zh.ts'
import { settingsZh } from '../areas/settings/texts/zh.ts'
import { transferZh } from '../areas/transfer/texts/zh.ts'
import { usersZh } from '../areas/users/texts/zh.ts'
import { partsZh } from '../parts/texts/zh.ts'
import { shellZh } from '../shell/texts/zh.ts'
import type { en } from './en.ts'
import type { Translated } from './translated.ts'

/** All texts in Chinese, by area. */
export const zh: Translated<typeof en> = {
  shell: shellZh,
  parts: partsZh,
  administrators: administratorsZh,
  apps: appsZh,
  backups: backupsZh,
  classes: classesZh,
  cloudCode: cloudCodeZh,
  connect: connectZh,
  data: dataZh,
  entry: entryZh,
  files: filesZh,
  health: healthZh,
  messaging: messagingZh,
  movingIn: movingInZh,
  overview: overviewZh,
  push: pushZh,
  settings: settingsZh,
  transfer: transferZh,
  users: usersZh,
}
