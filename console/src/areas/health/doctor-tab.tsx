import { useQuery } from '@tanstack/react-query'
import { Button, Flex, Tag, Typography, theme } from 'antd'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../i18n/format.ts'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { type Finding, type FindingLevel, findingsQuery } from './health-queries.ts'
import { useNoticeText } from './use-notice-text.ts'

/** Problems come first. */
const ORDER: readonly FindingLevel[] = ['error', 'warning', 'ok']
const COLORS = { error: 'error', warning: 'warning', ok: 'default' } as const

/** What the checks of `homeport doctor` find on the responding node, and how to fix it. */
export function DoctorTab() {
  const { t } = useTranslation('health')
  const format = useFormat()
  const report = useQuery(findingsQuery)
  if (report.isPending) return <Loading />
  const findings = [...(report.data?.findings ?? [])].sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level))
  return (
    <Flex vertical gap={12}>
      <ProblemNotice error={report.error} onRetry={() => void report.refetch()} />
      <Typography.Text type="secondary">{t('doctor.about')}</Typography.Text>
      <Flex wrap gap={12} align="center">
        <Button loading={report.isFetching} onClick={() => void report.refetch()}>
          {t('doctor.again')}
        </Button>
        {report.data && (
          <Typography.Text type="secondary">
            {t('doctor.checked', { node: report.data.node, at: format.time(report.data.at) })}
          </Typography.Text>
        )}
      </Flex>
      {findings.length > 0 && <Findings findings={findings} />}
    </Flex>
  )
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const { t } = useTranslation('health')
  const { token } = theme.useToken()
  const textOf = useNoticeText()
  return (
    <ul
      aria-label={t('doctor.findings')}
      style={{
        margin: 0,
        padding: 0,
        listStyle: 'none',
        background: token.colorBgContainer,
        border: `1px solid ${token.colorBorderSecondary}`,
        borderRadius: token.borderRadius,
      }}
    >
      {findings.map(({ level, id, notices }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: several apps have findings with the same id
          key={`${id} ${index}`}
          style={{ padding: '8px 12px', borderBottom: `1px solid ${token.colorBorderSecondary}` }}
        >
          <Flex gap={8} align="baseline">
            <Tag color={COLORS[level]}>{t(`doctor.levels.${level}`)}</Tag>
            <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              {textOf(notices.text)}
              {notices.fix !== null && (
                <Typography.Paragraph type="secondary" style={{ margin: '4px 0 0' }}>
                  {t('doctor.fix', { fix: textOf(notices.fix) })}
                </Typography.Paragraph>
              )}
            </div>
          </Flex>
        </li>
      ))}
    </ul>
  )
}
