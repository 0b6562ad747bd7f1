import { route } from '../route.ts'
import { giveToken } from './fileTokens.ts'

/** POST /1.1/qiniu — the original name of `fileTokens` (protocol/files, Upload). */
export const qiniu = route({ method: 'POST', path: '/1.1/qiniu', rate: 'writes', handler: giveToken })
