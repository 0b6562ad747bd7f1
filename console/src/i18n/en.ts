import { administratorsEn } from '../areas/administrators/texts/en.ts'
import { appsEn } from '../areas/apps/texts/en.ts'
import { backupsEn } from '../areas/backups/texts/en.ts'
import { classesEn } from '../areas/classes/texts/en.ts'
import { cloudCodeEn } from '../areas/cloud-code/texts/en.ts'
import { connectEn } from '../areas/connect/texts/en.ts'
import { dataEn } from '../areas/data/texts/en.ts'
import { entryEn } from '../areas/entry/texts/en.ts'
import { filesEn } from '../areas/files/texts/en.ts'
import { healthEn } from '../areas/health/texts/en.ts'
import { messagingEn } from '../areas/messaging/texts/en.ts'
import { movingInEn } from '../areas/moving-in/texts/en.ts'
import { overviewEn } from '../areas/overview/texts/en.ts'
import { pushEn } from '../areas/push/texts/en.ts'
import { settingsEn } from '../areas/settings/texts/en.ts'
import { transferEn } from '../areas/transfer/texts/en.ts'
import { usersEn } from '../areas/users/texts/en.ts'
import { partsEn } from '../parts/texts/en.ts'
import { shellEn } from '../shell/texts/en.ts'

/** All texts in English, by area. */
export const en = {
  shell: shellEn,
  parts: partsEn,
  administrators: administratorsEn,
  apps: appsEn,
  backups: backupsEn,
  classes: classesEn,
  cloudCode: cloudCodeEn,
  connect: connectEn,
  data: dataEn,
  entry: entryEn,
  files: filesEn,
  health: healthEn,
  messaging: messagingEn,
  movingIn: movingInEn,
  overview: overviewEn,
  push: pushEn,
  settings: settingsEn,
  transfer: transferEn,
  users: usersEn,
}
