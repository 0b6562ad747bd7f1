import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useExplanations } from '../areas/settings/explanations/use-explanations.ts'
import { childrenOf, kindOf, type Node, rootOf } from '../areas/settings/schema.ts'
import { settingsSchemaQuery } from '../areas/settings/settings-queries.ts'
import { type Findable, found } from './found.ts'
import type { Entry } from './palette-entry.ts'

/** More results are on the settings page. */
const MAX_SHOWN = 8

/** Returns settings of an app by name and path; none before input. */
export function useFoundSettings(appId: string | null, text: string): readonly Entry[] {
  const navigate = useNavigate()
  const { nameOf } = useExplanations()
  const schema = useQuery({ ...settingsSchemaQuery(appId ?? ''), enabled: appId !== null }).data
  if (appId === null || !schema || text.trim() === '') return []
  const entries = leavesOf(rootOf(schema)).map((node): Entry & Findable => {
    const path = node.path.join('.')
    const names = node.path.map((_, depth) =>
      nameOf(
        node.pattern
          .split('.')
          .slice(0, depth + 1)
          .join('.'),
      ),
    )
    return {
      key: `setting ${path}`,
      label: names.join(' › '),
      also: [path, ...names, ...node.path],
      act: () => void navigate({ to: '/apps/$appId/settings', params: { appId }, search: { q: path } }),
    }
  })
  return found(text, [{ heading: '', entries }])[0]?.entries.slice(0, MAX_SHOWN) ?? []
}

function leavesOf(node: Node): readonly Node[] {
  return kindOf(node) === 'group' ? childrenOf(node).flatMap(leavesOf) : [node]
}
