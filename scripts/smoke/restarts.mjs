import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './requests.mjs'

export const name = 'restarts'
export const title = 'Restarts of the service'

const TIMEOUT_MS = 120_000

/** Needs `inside`, `url`, `app` and `objectId`. */
export async function run({ inside, url, app, objectId, pass }) {
  const pid = () => inside('systemctl show -p MainPID --value homeport').trim()
  const headers = { 'x-lc-id': app.appId, 'x-lc-key': app.appKey }
  const recovers = async (former) => {
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await sleep(250)) {
      const status = await fetch(`${url}/health`).then(
        (response) => response.status,
        () => 0,
      )
      if (status === 200 && (former === undefined || pid() !== former)) return
    }
    throw new Error(`no restart:\n${inside('journalctl -u homeport -n 30 --no-pager')}`)
  }
  const keepsObject = async () => {
    const { count } = await call(url, 'GET', `/1.1/classes/Smoke/${objectId}`, headers)
    if (count !== 3) throw new Error(`the object has count ${count}`)
  }
  for (const [title, command] of [
    ['a killed server', 'kill -KILL $(systemctl show -p MainPID --value homeport)'],
    ['all its processes killed', 'systemctl kill --signal=SIGKILL homeport'],
    ['systemctl restart', 'systemctl restart homeport'],
  ]) {
    const former = pid()
    inside(command)
    await recovers(former)
    await keepsObject()
    pass(`after ${title} it serves the same data`)
  }
  const begun = Date.now()
  inside('systemctl stop homeport')
  const left = inside("ps -eo user=,args= | grep '^homeport' || true")
  if (left !== '') throw new Error(`processes are left after a stop:\n${left}`)
  const state = inside('systemctl show -p Result --value homeport').trim()
  if (state !== 'success') throw new Error(`the stop ends with ${state}`)
  pass(`a stop ends all processes within ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  inside('homeport service install')
  await recovers(undefined)
  // A wrong value ends the service instead of restarting it forever.
  inside(
    `cp -p /etc/homeport/homeport.env /tmp/env && echo HOMEPORT_LOG_LEVEL=loud >> /etc/homeport/homeport.env && systemctl restart homeport || true`,
  )
  for (
    const end = Date.now() + TIMEOUT_MS;
    !inside('systemctl is-failed homeport || true').includes('failed');
    await sleep(250)
  )
    if (Date.now() > end) throw new Error('a wrong value restarts the service forever')
  if (!inside('journalctl -u homeport -n 20 --no-pager').includes('HOMEPORT_LOG_LEVEL'))
    throw new Error('the log does not name the wrong value')
  inside('cp -p /tmp/env /etc/homeport/homeport.env && systemctl start homeport')
  await recovers(undefined)
  pass('a wrong value in homeport.env ends the service with a message')
}
