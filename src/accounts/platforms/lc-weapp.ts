import { type MiniProgramSettings, miniProgram } from './mini-program.ts'
import type { Platform } from './platform.ts'

const EXCHANGE = 'https://api.weixin.qq.com/sns/jscode2session'

/** Mini programs of Weixin. */
export function lcWeapp(settings: MiniProgramSettings, timeout: number): Platform {
  return miniProgram('lc_weapp', EXCHANGE, settings, timeout)
}
