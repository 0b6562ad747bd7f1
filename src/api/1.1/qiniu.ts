import { route } from '../route.ts'
import { giveToken } from './fileTokens.ts'

/** POST /1.1/qiniu — what `fileTokens` was called at first (protocol/files, Upload). */
export const qiniu = route('POST', '/1.1/qiniu', giveToken)
