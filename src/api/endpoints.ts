import { batch } from './1.1/batch.ts'
import { batchSave } from './1.1/batch-save.ts'
import { classes } from './1.1/classes.ts'
import { date } from './1.1/date.ts'
import { exportData } from './1.1/exportData.ts'
import { files } from './1.1/files.ts'
import { login } from './1.1/login.ts'
import { requestEmailVerify } from './1.1/requestEmailVerify.ts'
import { requestPasswordReset } from './1.1/requestPasswordReset.ts'
import { resetPassword } from './1.1/resetPassword.ts'
import { roles } from './1.1/roles.ts'
import { scanClasses } from './1.1/scan/classes.ts'
import { schemas } from './1.1/schemas.ts'
import { users } from './1.1/users.ts'
import { verifyEmail } from './1.1/verifyEmail.ts'
import { appRouter } from './2/route.ts'
import { adminApps } from './admin/apps.ts'
import { adminClasses } from './admin/classes.ts'
import { health } from './health.ts'
import type { Route } from './route.ts'

/** Every endpoint of the server. The path of an endpoint's file is the path of its URL. */
export const endpoints: readonly Route[] = [
  ...classes,
  ...users,
  ...login,
  requestEmailVerify,
  ...verifyEmail,
  requestPasswordReset,
  ...resetPassword,
  ...roles,
  ...files,
  ...schemas,
  ...exportData,
  scanClasses,
  batch,
  batchSave,
  date,
  appRouter,
  ...adminApps,
  ...adminClasses,
  ...health,
]
