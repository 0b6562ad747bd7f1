import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const name = 'bare-debian'
export const title = 'Boot a bare Debian'

const BOOT_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 30_000
const RELEASES = ['bookworm', 'trixie']

/**
 * Sets `folder`, the root of the machine; `inside(command, user)`, which runs a shell command on it and returns its output; and
 * `freePort()`. The machine shares the network of this one.
 */
export async function run(context) {
  const folder = join(context.directory, 'debian')
  const suite = context.suite ?? ownRelease()
  install(suite, folder, context.cache)
  checkContainers(folder)
  context.pass(`Debian ${readFileSync(join(folder, 'etc/debian_version'), 'utf8').trim()} (${suite})`)
  writeFileSync(join(folder, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  trustSameAuthorities(folder)
  copyNode(folder)
  const machine = spawn(
    'systemd-nspawn',
    ['--quiet', '--register=no', '--keep-unit', '--resolv-conf=copy-host', '--console=pipe', '--boot', '-D', folder],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [machine.stdout, machine.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
    })
  context.atEnd(async () => {
    if (machine.exitCode !== null || machine.signalCode !== null) return
    const ended = once(machine, 'exit')
    // The machine halts without stopping its services: its folder is deleted.
    try {
      context.inside('systemctl --force --force halt')
    } catch {
      // It ends before it can respond.
    }
    const timer = setTimeout(() => machine.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(timer)
  })
  const init = await initOf(machine, () => output)
  context.folder = folder
  context.inside = (command, user = 'root') => inside(init, command, user)
  context.journal = () => context.inside('journalctl --unit homeport --lines 40 --no-pager || true')
  await until(
    () => context.inside('systemctl is-system-running --wait || true').match(/running|degraded/),
    () => output,
  )
  context.pass(
    `systemd ${context.inside('systemctl --version').split(/\s/)[1]}, Node ${context.inside('node --version').trim()}`,
  )
}

const PACKAGES = ['ca-certificates', 'systemd', 'systemd-sysv', 'passwd', 'procps', 'xz-utils', 'curl']

/** Installs Debian into a folder. A cache keeps it as an archive for the next run. */
function install(suite, folder, cache) {
  const archive = cache && join(cache, `debian-${suite}.tar`)
  const options = { stdio: 'pipe', maxBuffer: 1e8 }
  if (archive && existsSync(archive)) {
    mkdirSync(folder)
    execFileSync('tar', ['-C', folder, '--numeric-owner', '-xpf', archive], options)
    return
  }
  execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, suite, folder], options)
  if (!archive) return
  execFileSync('tar', ['-C', folder, '--numeric-owner', '-cpf', `${archive}.new`, '.'], options)
  renameSync(`${archive}.new`, archive)
}

/**
 * Checks that this machine can run containers at all, which a container without the needed rights cannot.
 * @throws Error with `skips`, which ends the smoke test without a failure
 */
function checkContainers(folder) {
  const args = ['--quiet', '--register=no', '--keep-unit', '--console=pipe', '-D', folder, 'true']
  const { status, stderr } = spawnSync('systemd-nspawn', args, { encoding: 'utf8', timeout: BOOT_TIMEOUT_MS })
  if (status === 0) return
  throw Object.assign(new Error(`systemd-nspawn cannot run here: ${stderr.trim()}`), { skips: true })
}

function ownRelease() {
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  // Node of this machine runs there only if the C library is not older.
  return RELEASES.includes(codename) ? codename : 'trixie'
}

/** Registries may be reached through a proxy with an authority of its own. */
function trustSameAuthorities(folder) {
  const bundle = '/etc/ssl/certs/ca-certificates.crt'
  if (existsSync(bundle)) cpSync(bundle, join(folder, bundle))
}

/** The machine gets the Node.js that runs this script, with its npm, as from an archive of nodejs.org. */
function copyNode(folder) {
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'), { dereference: true })
  const npm = dirname(dirname(realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())))
  cpSync(npm, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const program of ['npm', 'npx'])
    execFileSync('ln', ['-s', `../lib/node_modules/npm/bin/${program}-cli.js`, join(folder, 'usr/local/bin', program)])
}

/** Returns the pid of the machine's systemd, a child of nspawn. */
async function initOf(machine, output) {
  let pid
  await until(() => {
    if (machine.exitCode !== null) throw new Error(`systemd-nspawn ended:\n${output()}`)
    try {
      pid = readFileSync(`/proc/${machine.pid}/task/${machine.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .find((child) => /systemd|init/.test(readFileSync(`/proc/${child}/comm`, 'utf8')))
    } catch {
      // It has just started.
    }
    return pid
  }, output)
  return pid
}

const ENVIRONMENT = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'LANG=C.UTF-8',
  'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
]

function inside(init, command, user) {
  const enter = [
    '--target',
    init,
    '--mount',
    '--uts',
    '--ipc',
    '--pid',
    '--cgroup',
    '--root',
    '--wd',
    '--',
    'env',
    '-i',
    ...ENVIRONMENT,
  ]
  const become =
    user === 'root'
      ? ['HOME=/root', 'sh']
      : [`HOME=/home/${user}`, 'setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', 'sh']
  try {
    return execFileSync('nsenter', [...enter, ...become, '-c', command], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1e8,
    })
  } catch (error) {
    throw new Error(`as ${user}: ${command}\nexit code ${error.status}\n${error.stdout}${error.stderr}`)
  }
}

async function until(holds, output) {
  for (const end = Date.now() + BOOT_TIMEOUT_MS; Date.now() < end; await sleep(200)) {
    try {
      if (holds()) return
    } catch (error) {
      if (error.message.startsWith('systemd-nspawn ended')) throw error
    }
  }
  throw new Error(`The machine did not boot:\n${output()}`)
}
