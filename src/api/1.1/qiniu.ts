import { route } from '../route.ts'
import { giveToken } from './fileTokens.ts'

/** POST /1.1/qiniu — what `fileTokens` was called at first (protocol/files, Upload). */
export const qiniu = route({ method: 'POST', path: '/1.1/qiniu', rate: 'writes', handler: giveToken })
