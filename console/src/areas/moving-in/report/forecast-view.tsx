import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ForecastReport } from '../../../../../src/moves/move-report.ts'
import { useFormat } from '../../../i18n/format.ts'
import { CountTable } from './count-table.tsx'
import { Lines, NoticeLines } from './lines.tsx'

/** The data that a pull would copy. */
export function ForecastView({ report }: { readonly report: ForecastReport }) {
  const { t } = useTranslation('movingIn')
  const format = useFormat()
  const { files, messages, relations, requests, seconds } = report
  const relationLines = relations.map(({ name, targetClass, owners }) =>
    t('report.relation', { name, target: targetClass, owners: owners === null ? '?' : format.number(owners) }),
  )
  const others = [
    ...(files ? [fileLine(files)] : []),
    ...(messages === null ? [] : [t(messages ? 'report.messagesGiven' : 'report.messagesRefused')]),
    ...(report.asksForLogins ? [t('report.loginsAsked')] : []),
    t('report.cost', { requests: format.number(requests), time: format.duration(seconds * 1000) }),
  ]
  return (
    <Flex vertical gap={8}>
      <CountTable
        label={t('report.counts')}
        rows={report.counts}
        columns={[
          { title: t('report.there'), value: ({ there }) => there },
          { title: t('report.toRead'), value: ({ toRead }) => toRead },
          { title: t('report.size'), value: ({ bytes }) => (bytes === null ? null : format.bytes(bytes)) },
          { title: t('report.pulledAt'), value: ({ since }) => (since === null ? null : format.time(since)) },
        ]}
      />
      <NoticeLines title={t('report.faults')} notices={report.faults} />
      <Lines title={t('report.relations')} lines={relationLines} />
      <Lines title={t('report.others')} lines={others} />
    </Flex>
  )

  function fileLine({ count, elsewhere, bytes }: NonNullable<ForecastReport['files']>): string {
    const size = bytes === null ? t('report.unknownSize') : format.bytes(bytes)
    return t('report.filesToFetch', { files: format.number(count), size, elsewhere: format.number(elsewhere) })
  }
}
