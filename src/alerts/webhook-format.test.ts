import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { IN_CHINESE } from '../notices/chinese.ts'
import { IN_ENGLISH } from '../notices/in-english.ts'
import { notice } from '../notices/notice.ts'
import { type AlertNotification, textOf } from './notification.ts'
import { formatOf, isAccepted, type WebhookFormat, webhookRequest } from './webhook-format.ts'

const NOW = 1_790_000_000_123
const notification: AlertNotification = {
  event: 'started',
  alert: 'disk',
  node: 'one:3000',
  problem: notice('alertDisk', { free: 100, total: 5000 }),
  since: '2026-09-21T13:33:20.123Z',
  at: '2026-09-21T13:33:20.123Z',
}
const text = textOf(notification, IN_ENGLISH, 'https://api.example.org/console/health')
const request = (format: WebhookFormat, secret: string | null, url = 'https://example.org/hook?key=1') =>
  webhookRequest({ url, format, secret }, notification, text, NOW)

it.each<[string, WebhookFormat]>([
  ['https://hooks.slack.com/services/T/B/x', 'slack'],
  ['https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x', 'wecom'],
  ['https://oapi.dingtalk.com/robot/send?access_token=x', 'dingtalk'],
  ['https://open.feishu.cn/open-apis/bot/v2/hook/x', 'feishu'],
  ['https://open.larksuite.com/open-apis/bot/v2/hook/x', 'feishu'],
  ['https://hooks.slack.com.example.org/', 'json'],
  ['http://127.0.0.1:8080/alerts', 'json'],
])('recognizes the receiver %s as %s', (url, format) => {
  expect(formatOf({ url, format: null })).toBe(format)
  expect(formatOf({ url, format: 'slack' })).toBe('slack')
})

const EXPECTED =
  'Homeport alert: The disk of the data directory has 100 MB free of 5000 MB. Free space or enlarge the disk.\n' +
  'Since 2026-09-21T13:33:20.123Z, server one:3000\nhttps://api.example.org/console/health'

it.each<[WebhookFormat, object]>([
  ['slack', { text: EXPECTED }],
  ['wecom', { msgtype: 'text', text: { content: EXPECTED } }],
  ['dingtalk', { msgtype: 'text', text: { content: EXPECTED } }],
  ['feishu', { msg_type: 'text', content: { text: EXPECTED } }],
])('writes the body of %s', (format, body) => {
  expect(JSON.parse(request(format, null).body)).toEqual(body)
})

it('writes the notification as JSON with a text that chat servers show', () => {
  const { body, headers } = request('json', null)
  expect(JSON.parse(body)).toEqual({
    ...notification,
    notice: notification.problem,
    problem: text.problem,
    text: EXPECTED,
  })
  expect(headers).not.toHaveProperty('x-homeport-signature')
})

it('signs JSON with the time and the body', () => {
  const { body, headers } = request('json', 'secret of the receiver')
  const digest = createHmac('sha256', 'secret of the receiver').update(`1790000000.${body}`).digest('hex')
  expect(headers['x-homeport-signature']).toBe(`t=1790000000,v1=${digest}`)
})

it('signs the URL for DingTalk', () => {
  const { url } = request('dingtalk', 'SECsecret')
  const { searchParams } = new URL(url)
  const sign = createHmac('sha256', 'SECsecret').update(`${NOW}\nSECsecret`).digest('base64')
  expect(Object.fromEntries(searchParams)).toEqual({ key: '1', timestamp: String(NOW), sign })
})

it('signs the body for Feishu', () => {
  const sign = createHmac('sha256', '1790000000\nfeishu secret').update('').digest('base64')
  expect(JSON.parse(request('feishu', 'feishu secret').body)).toMatchObject({ timestamp: '1790000000', sign })
})

it.each<[WebhookFormat, number, string, boolean]>([
  ['json', 204, '', true],
  ['json', 302, '', false],
  ['json', 500, '', false],
  ['slack', 200, 'ok', true],
  ['wecom', 200, '{"errcode":0,"errmsg":"ok"}', true],
  ['wecom', 200, '{"errcode":93000,"errmsg":"invalid webhook url"}', false],
  ['dingtalk', 200, '{"errcode":310000,"errmsg":"sign not match"}', false],
  ['feishu', 200, '{"code":19021,"msg":"sign match fail"}', false],
  ['feishu', 200, '{"StatusCode":0,"StatusMessage":"success"}', true],
  ['feishu', 200, '<html>', false],
])('judges the response of %s with status %i and body %j', (format, status, body, accepted) => {
  expect(isAccepted(format, status, body)).toBe(accepted)
})

it('bounds texts for receivers of short ones', () => {
  const long = textOf(
    { ...notification, problem: notice('text', { text: '磁盘'.repeat(2000) }) },
    IN_CHINESE,
    'https://x',
  )
  expect(long.subject.length).toBeLessThanOrEqual(160)
  const { body } = webhookRequest({ url: 'https://x', format: 'wecom', secret: null }, notification, long, NOW)
  const { content } = (JSON.parse(body) as { text: { content: string } }).text
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2048)
})
