import { Link } from '@tanstack/react-router'
import { Flex, Tag } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Table } from '../../parts/table.tsx'
import { ACTIONS, type Move } from './moving-in-queries.ts'
import { ResultTag } from './result-tag.tsx'

interface MoveListProps {
  readonly moves: readonly Move[]
  readonly isLoading: boolean
}

/** The previous moves into the app. */
export function MoveList({ moves, isLoading }: MoveListProps) {
  const { t } = useTranslation('movingIn')
  const format = useFormat()
  const { appId } = useApp()
  if (!isLoading && moves.length === 0) return <EmptyState title={t('list.none')}>{t('list.noneAbout')}</EmptyState>
  return (
    <Table
      size="small"
      rowKey="id"
      loading={isLoading}
      dataSource={[...moves]}
      pagination={false}
      scroll={{ x: 'max-content' }}
      columns={[
        {
          title: t('list.source'),
          key: 'source',
          render: (_, move) => (
            <Link to="/apps/$appId/moving-in/$moveId" params={{ appId, moveId: move.id }}>
              <SourceName move={move} />
            </Link>
          ),
        },
        {
          title: t('list.results'),
          key: 'results',
          render: (_, { action, outcomes }) => (
            <Flex gap={4} wrap>
              {ACTIONS.flatMap((one) => {
                const outcome = outcomes[one]
                return outcome ? [<ResultTag key={one} action={one} result={outcome.result} />] : []
              })}
              {action !== null && <Tag color="processing">{t(`running.${action}`)}</Tag>}
            </Flex>
          ),
        },
        { title: t('list.changed'), dataIndex: 'changedAt', render: (at: string) => format.time(at) },
      ]}
    />
  )
}

export function SourceName({ move: { source } }: { readonly move: Pick<Move, 'source'> }) {
  const { t } = useTranslation('movingIn')
  if (source.kind === 'app') return t('list.app', { appId: source.appId, url: source.url })
  const [first] = source.files
  return source.files.length === 1
    ? first!.name
    : t('list.files', { name: first?.name, count: source.files.length - 1 })
}
