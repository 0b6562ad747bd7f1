import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Statistic } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { FirstSteps } from './first-steps.tsx'
import { figuresQuery } from './overview-queries.ts'

/** The page that lists each figure. */
const FIGURES = [
  { name: 'objects', area: 'data' },
  { name: 'classes', area: 'data' },
  { name: 'users', area: 'users' },
  { name: 'files', area: 'files' },
  { name: 'conversations', area: 'messaging' },
  { name: 'messages', area: 'messaging' },
  { name: 'devices', area: 'push' },
] as const

/** Below this number, estimates come from tables that PostgreSQL has read completely. */
const EXACT_ENOUGH = 2000

/** The amount of data in an app; for an empty one, the first steps. */
export function FiguresCards({ appId }: { readonly appId: string }) {
  const { t } = useTranslation('overview')
  const format = useFormat()
  const { data, error, refetch } = useQuery(figuresQuery(appId))
  const shownFigure = (name: string, count: number) =>
    data?.estimated.includes(name) && count > EXACT_ENOUGH
      ? t('figures.about', { number: format.number(count) })
      : format.number(count)
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (data && data.objects + data.messages === 0) return <FirstSteps appId={appId} serverUrl={data.serverUrl} />
  return (
    <div style={{ display: 'grid', gap: 12, gridTemplateColumns: 'repeat(auto-fill, minmax(118px, 1fr))' }}>
      {FIGURES.map(({ name, area }) => (
        <Link key={name} to={`/apps/$appId/${area}`} params={{ appId }}>
          <Card hoverable size="small">
            <Statistic
              title={t(`figures.${name}`)}
              loading={!data}
              value={data?.[name] ?? 0}
              formatter={(value) => shownFigure(name, Number(value))}
            />
          </Card>
        </Link>
      ))}
      <Card size="small">
        <Statistic
          title={t('figures.bytes')}
          loading={!data}
          value={data?.bytes ?? 0}
          formatter={(value) => format.bytes(Number(value))}
        />
      </Card>
    </div>
  )
}
