import type { ObjectStore } from '../objects/store.ts'
import { builtInChannel, type Devices } from '../push/built-in-channel/built-in-channel.ts'
import { OnlineDevices } from '../push/built-in-channel/online-devices.ts'
import { PendingMessages } from '../push/built-in-channel/pending-messages.ts'
import { noteLogins } from '../push/installations/device-logins.ts'
import { startHousekeeping } from '../push/installations/housekeeping.ts'
import { OpenedProviders } from '../push/opened-providers.ts'
import { INSTALLATION, type Push, type PushTables, pushTables } from '../push/push.ts'
import type { AppParts } from './app-parts.ts'

type Parts = Pick<AppParts, 'apps' | 'database' | 'bus' | 'alone' | 'jobs' | 'counts' | 'log'>

/** The pushes of an app with their background work. */
export interface OpenPush extends Push {
  /** The devices of the built-in push channel, for their connections. */
  readonly devices: Devices
  stopHousekeeping(): void
}

/** Assembles the pushes of an app. */
export function openPush(parts: Parts, schema: string, objects: ObjectStore): OpenPush {
  const { apps, database, jobs } = parts
  const { appId } = objects
  const log = parts.log.child({ component: 'push', app: appId })
  const settings = () => apps.known(appId)!.settings.push
  const tables = pushTables(schema)
  const devices = openDevices({ ...parts, log }, tables, objects)
  const push: Push = {
    appId,
    database,
    objects,
    tables,
    jobs,
    providers: new OpenedProviders(settings, log),
    builtIn: builtInChannel(devices),
    ...(parts.counts && { counts: parts.counts.pushDevices }),
    log,
    settings,
  }
  return { ...push, devices, stopHousekeeping: startHousekeeping(push) }
}

/** Opens the built-in push channel: the state of its devices, and the connections to them. */
export function openDevices(
  { database, bus, alone = false, log }: Pick<Parts, 'database' | 'bus' | 'alone' | 'log'>,
  tables: PushTables,
  { appId, classes }: Pick<ObjectStore, 'appId' | 'classes'>,
): Devices {
  return {
    online: new OnlineDevices({ appId, bus, alone, log }),
    messages: new PendingMessages(database, tables),
    noteLogin: noteLogins(database, tables, () => classes.get(INSTALLATION)!.table),
  }
}

export function stopPush({ providers, devices, stopHousekeeping }: OpenPush): void {
  stopHousekeeping()
  providers.close()
  devices.online.stop()
}
