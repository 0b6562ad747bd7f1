import { type MiniProgramSettings, miniProgram } from './mini-program.ts'
import type { Platform } from './platform.ts'

const EXCHANGE = 'https://api.q.qq.com/sns/jscode2session'

/** Mini programs of QQ. */
export function lcQqapp(settings: MiniProgramSettings, timeout: number): Platform {
  return miniProgram('lc_qqapp', EXCHANGE, settings, timeout)
}
