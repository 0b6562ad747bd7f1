import { expect, it } from 'vitest'
import { clickIntent } from './click-intent.ts'

it('passes the custom keys in the intent as encoded JSON', () => {
  const custom = { a: '1;end#Intent&S.content=', 名: { b: [null] } }
  const [, content] =
    /^intent:\/\/my\.host\/notify_detail\?S\.content=([^#;&]*)#Intent;scheme=lcpushscheme;launchFlags=0x10000000;end$/.exec(
      clickIntent('my.host', custom),
    )!
  expect(JSON.parse(decodeURIComponent(content!))).toEqual(custom)
})
