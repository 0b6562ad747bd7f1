import { USAGE_ERROR } from '../exit-codes.ts'

/** The values of a systemd unit. All paths are absolute. */
export interface UnitValues {
  readonly node: string
  /** The program's main file. */
  readonly program: string
  readonly user: string
  readonly data: string
  readonly environmentFile: string
  /** Whether the server listens on a port below 1024. */
  readonly lowPorts: boolean
}

export const DEFAULT_DATA = '/var/lib/homeport'

/**
 * Returns the systemd unit that runs the server as an ordinary user, restarts it, and lets it write only to its data directory.
 * What a Node process and the embedded PostgreSQL need stays allowed: executable memory for compiled JavaScript, `/dev/shm`, a
 * private `/tmp` for PostgreSQL's socket, and an unchanged `/proc`, with which the lock of the data directory recognizes that its
 * holder has ended. ProtectKernelTunables and ProtectControlGroups are not set for this reason: in a container of LXC or
 * systemd-nspawn they make the service see another boot id than the command line. An ordinary user cannot write there anyway.
 * @throws Error when a path contains a line break
 */
export function unitText({ node, program, user, data, environmentFile, lowPorts }: UnitValues): string {
  const capability = lowPorts ? 'CAP_NET_BIND_SERVICE' : ''
  const isDefault = data === DEFAULT_DATA
  // Paths below these directories would be hidden from the service.
  const inHome = [node, program, data].some((path) => /^\/(home|root|run\/user)\//.test(path))
  return `# Written by "homeport service install". Options of the server are in ${environmentFile}.
[Unit]
Description=Homeport
Documentation=https://www.npmjs.com/package/homeport-server
Wants=network-online.target
After=network-online.target nss-lookup.target time-sync.target
# Restarts never stop for good, however often the server fails.
StartLimitIntervalSec=0

[Service]
Type=exec
User=${user}
Group=${user}
Environment=NODE_ENV=production ${quoted(`HOMEPORT_DATA=${data}`)}
EnvironmentFile=-${pathValue(environmentFile)}
ExecStart=${commandWord(node)} ${commandWord(program)} start
WorkingDirectory=${pathValue(data)}
Restart=always
RestartSec=2
# A wrong option: a restart would not help.
RestartPreventExitStatus=${USAGE_ERROR}
# The server finishes open requests and stops PostgreSQL. Processes that remain are killed after it.
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=120
# The kernel ends the process that needs most memory. PostgreSQL and the service restart it.
OOMPolicy=continue
LimitNOFILE=524288
UMask=0077

${isDefault ? 'StateDirectory=homeport\nStateDirectoryMode=0700' : `ReadWritePaths=${quoted(data)}`}
ProtectSystem=strict
ProtectHome=${inHome ? 'read-only' : 'yes'}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
NoNewPrivileges=yes
CapabilityBoundingSet=${capability}
AmbientCapabilities=${capability}
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`
}

/** Returns a word of a command, in which systemd expands `$`. */
function commandWord(text: string): string {
  return quoted(text.replaceAll('$', '$$$$'))
}

/** Returns a word of a list. */
function quoted(text: string): string {
  const escaped = pathValue(text).replace(/[\\"]/g, '\\$&')
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`
}

/** Returns the value of a setting that takes one path, in which systemd expands `%`. */
function pathValue(path: string): string {
  if (/[\n\r\0]/.test(path))
    throw new Error(`A service cannot use the path ${JSON.stringify(path)}: it has a line break.`)
  return path.replaceAll('%', '%%')
}
