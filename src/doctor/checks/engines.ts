import type { AppRecord } from '../../apps/apps.ts'
import { readEngineMetadata } from '../../hooks/engine-metadata.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf } from '../finding.ts'

/** Requests the list of functions of the engines of each app. */
export async function checkEngines({ apps }: Examination): Promise<Finding[]> {
  return Promise.all(
    (apps ?? []).flatMap((app) =>
      (['production', 'staging'] as const).flatMap((environment) => {
        const url = app.settings.engine[environment]
        return url === undefined ? [] : [checkEngine(app, environment, url)]
      }),
    ),
  )
}

async function checkEngine(app: AppRecord, environment: 'production' | 'staging', url: string): Promise<Finding> {
  try {
    await readEngineMetadata(url, app, environment === 'production')
    return fine('doctorEngine', { app: app.id, environment })
  } catch (error) {
    return failure('doctorEngineDown', { app: app.id, environment, url, reason: reasonOf(error) })
  }
}
