import { useQuery } from '@tanstack/react-query'
import { classesQuery } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { type Json, valueAt } from '../../settings/draft.ts'
import { settingsQuery } from '../../settings/settings-queries.ts'
import { titleFieldOf } from './title-field.ts'
import { titleQuery } from './title-query.ts'

/** Returns the field that labels objects of a class; null without one. */
export function useTitleField(className: string): string | null {
  const { appId } = useApp()
  const classes = useQuery(classesQuery(appId)).data
  const settings = useQuery({ ...settingsQuery(appId), staleTime: 60_000 }).data as Json | undefined
  const chosen = valueAt(settings, ['console', 'titleFields', className])
  return titleFieldOf(
    classes?.find((one) => one.className === className),
    typeof chosen === 'string' ? chosen : undefined,
  )
}

/** Returns the label of an object besides its id; empty until it is loaded, and when there is none. */
export function useTitle(className: string, objectId: string | null): string {
  const { appId } = useApp()
  const field = useTitleField(className)
  const { data } = useQuery({
    ...titleQuery(appId, className, field ?? '', objectId ?? ''),
    enabled: field !== null && objectId !== null,
  })
  return data ?? ''
}
