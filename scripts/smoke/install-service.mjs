import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './start-proxies.mjs'

export const name = 'install-service'
export const title = 'Install the service with install.sh'

/** Needs `folder`, `inside` and `tarball`. Sets `port` and `url` of the service, and `app`, its first app with keys. */
export async function run(context) {
  const { folder, inside, tarball, pass } = context
  cpSync(tarball, join(folder, 'srv/homeport.tgz'))
  cpSync(fileURLToPath(new URL('../../install.sh', import.meta.url)), join(folder, 'root/install.sh'))
  const port = await freePort()
  const install = `sh /root/install.sh --yes --package /srv/homeport.tgz -- --port ${port} --host 127.0.0.1`
  inside(install)
  pass('install.sh')
  inside('homeport service status')
  pass('homeport service status')
  inside('systemd-analyze verify --man=no /etc/systemd/system/homeport.service')
  pass('systemd-analyze verify')
  const facts =
    inside(`systemctl show -p User -p KillMode -p Restart -p LimitNOFILE -p ProtectSystem -p NoNewPrivileges homeport
    stat -c '%n %U %a' /etc/homeport/homeport.env /var/lib/homeport
    echo server $(ps -o user= -p $(systemctl show -p MainPID --value homeport))
    echo database $(ps -eo user=,args= | grep 'postgres: checkpointer' | grep -v grep | cut -d' ' -f1)`)
  for (const fact of [
    'User=homeport',
    'KillMode=mixed',
    'Restart=always',
    'LimitNOFILE=',
    'ProtectSystem=strict',
    'NoNewPrivileges=yes',
    '/etc/homeport/homeport.env root 600',
    '/var/lib/homeport homeport 700',
    'server homeport',
    'database homeport',
  ])
    if (!facts.includes(fact)) throw new Error(`${fact} does not hold:\n${facts}`)
  pass('server and PostgreSQL run as the user homeport')
  const before = inside('systemctl show -p MainPID --value homeport')
  inside(install)
  if (inside('systemctl show -p MainPID --value homeport') !== before)
    throw new Error('a repeated installation restarted the server')
  pass('a repeated installation changes nothing')
  context.port = port
  context.url = `http://127.0.0.1:${port}`
  const [app] = JSON.parse(inside('homeport keys --json --data /var/lib/homeport'))
  context.app = app
}
