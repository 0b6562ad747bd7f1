import { Flex, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ComparedReport } from '../../../../../src/moves/move-report.ts'
import type { Notice } from '../../../../../src/notices/notice.ts'
import { Table, useNamedArrows } from '../../../parts/table.tsx'
import { Wide } from '../../../parts/wide.tsx'
import { usePartName } from '../part-name.ts'
import { CountTable } from './count-table.tsx'
import { Lines, NotedLines, NoticeLines, PhraseText } from './lines.tsx'
import { useNotices } from './use-notices.ts'

const MEANINGS = {
  missing: 'missing',
  differs: 'differs',
  unreadable: 'unreadable',
  'only here': 'onlyHere',
  'changed here since': 'changedHere',
  'changed there since': 'changedThere',
  'made here since': 'madeHere',
  'made there since': 'madeThere',
  'no longer there': 'gone',
} as const

/** The result of a comparison of the source with this app. */
export function ComparedView({ report }: { readonly report: ComparedReport }) {
  const { t } = useTranslation('movingIn')
  const { counts, examples } = report
  const hasUnreadable = counts.some(({ unreadable }) => unreadable > 0)
  return (
    <Flex vertical gap={8}>
      <CountTable
        label={t('report.counts')}
        rows={counts}
        columns={[
          { title: t('report.there'), value: ({ there }) => there },
          { title: t('report.here'), value: ({ here }) => here },
          { title: t('report.same'), value: ({ same }) => same },
          { title: t('report.missing'), value: ({ missing }) => missing, isFault: true },
          { title: t('report.differs'), value: ({ differs }) => differs, isFault: true },
          { title: t('report.onlyHere'), value: ({ onlyHere }) => onlyHere, isFault: true },
          { title: t('report.changed'), value: ({ changed }) => changed },
          ...(hasUnreadable
            ? [
                {
                  title: t('report.unreadable'),
                  value: ({ unreadable }: { readonly unreadable: number }) => unreadable,
                  isFault: true,
                },
              ]
            : []),
        ]}
      />
      {examples.length > 0 && <Examples examples={examples} />}
      <NoticeLines title={t('report.schema')} notices={report.schema} />
      <NoticeLines title={t('report.notRead')} notices={report.notRead} />
      <NotedLines notes={report.notes} />
      <NoticeLines title={t('report.remarks')} notices={report.remarks ?? []} />
      <Lines title={t('report.otherClasses')} lines={report.otherClasses} />
    </Flex>
  )
}

function Examples({ examples }: Pick<ComparedReport, 'examples'>) {
  const { t } = useTranslation('movingIn')
  const partName = usePartName()
  const itemRender = useNamedArrows()
  const filledIn = useNotices()
  const hasValues = examples.some(({ there, here, reason }) => there !== null || here !== null || reason !== null)
  const code = (text: string | null) => text !== null && <Typography.Text code>{text}</Typography.Text>
  return (
    <section>
      <Typography.Title level={3} style={{ fontSize: 14, margin: '8px 0 4px' }}>
        {t('report.examples')}
      </Typography.Title>
      <Wide label={t('report.examples')}>
        <Table
          size="small"
          rowKey={({ name, objectId, field, what }) => JSON.stringify([name, objectId, field, what])}
          dataSource={[...examples]}
          pagination={examples.length > 20 && { pageSize: 20, showSizeChanger: false, itemRender }}
          columns={[
            { title: t('report.of'), dataIndex: 'name', render: (name: string) => partName(name) },
            { title: t('report.object'), dataIndex: 'objectId' },
            {
              title: t('report.what'),
              dataIndex: 'what',
              render: (what: string) =>
                Object.hasOwn(MEANINGS, what) ? t(`report.verdicts.${MEANINGS[what as keyof typeof MEANINGS]}`) : what,
            },
            {
              title: t('report.field'),
              dataIndex: 'field',
              render: (field: string | Notice | null) =>
                typeof field === 'string' ? field : field !== null && <PhraseText phrase={filledIn(field)} />,
            },
            ...(hasValues
              ? [
                  { title: t('report.there'), dataIndex: 'there', render: code },
                  { title: t('report.here'), dataIndex: 'here', render: code },
                  {
                    title: t('report.reason'),
                    dataIndex: 'reason',
                    render: (reason: Notice | null) => reason !== null && <PhraseText phrase={filledIn(reason)} />,
                  },
                ]
              : []),
          ]}
        />
      </Wide>
    </section>
  )
}
