import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ImportReport } from '../../../../../src/moves/move-report.ts'
import { useFormat } from '../../../i18n/format.ts'
import { usePartName } from '../part-name.ts'
import { CountTable } from './count-table.tsx'
import { Lines, NotedLines, NoticeLines } from './lines.tsx'
import { type Phrase, useNotices } from './use-notices.ts'

/** The data that an import or a pull has imported, or would. */
export function ImportView({ report }: { readonly report: ImportReport }) {
  const { t } = useTranslation('movingIn')
  const { number } = useFormat()
  const partName = usePartName()
  const filledIn = useNotices()
  const { counts, removed, rewritten, reasons } = report
  const removals = removed.flatMap(({ name, removed, kept, refusal }): (string | Phrase)[] => {
    if (refusal !== null) return [withPrefix(`${partName(name)}: `, filledIn(refusal))]
    if (removed + kept === 0) return []
    return [t('report.removal', { name: partName(name), removed: number(removed), kept: number(kept) })]
  })
  return (
    <Flex vertical gap={8}>
      <CountTable
        label={t('report.counts')}
        rows={counts}
        columns={[
          { title: t('report.read'), value: ({ read }) => read },
          { title: t(report.dryRun ? 'report.wouldBeNew' : 'report.created'), value: ({ created }) => created },
          { title: t('report.updated'), value: ({ updated }) => updated },
          { title: t('report.existing'), value: ({ existing }) => existing },
          { title: t('report.rejected'), value: ({ rejected }) => rejected, isFault: true },
          ...(report.dryRun
            ? []
            : [{ title: t('report.hereNow'), value: ({ here }: { here: number | null }) => here }]),
        ]}
      />
      <Lines
        title={t('report.reasons')}
        lines={reasons.map(({ name, reason, count }) =>
          withPrefix(`${number(count)} × ${partName(name)}: `, filledIn(reason)),
        )}
      />
      <NotedLines notes={report.notes} />
      <NoticeLines title={t('report.notUnderstood')} notices={report.notUnderstood} />
      <Lines
        title={t('report.newClasses')}
        lines={(report.newClasses ?? []).map(({ name, file }) => t('report.newClass', { name, file }))}
      />
      <NoticeLines title={t('report.notApplied')} notices={report.schema ?? []} />
      <Lines title={t('report.removed')} lines={removals} />
      {rewritten && (
        <Lines
          title={t('report.rewritten', { base: rewritten.base })}
          lines={
            rewritten.counts.length === 0
              ? [t('report.rewrittenNone')]
              : rewritten.counts.map(({ name, texts, urls }) =>
                  t('report.rewrittenOf', { name: partName(name), texts: number(texts), urls: number(urls) }),
                )
          }
        />
      )}
      <NoticeLines title={t('report.remarks')} notices={report.remarks} />
    </Flex>
  )
}

function withPrefix(text: string, phrase: Phrase): Phrase {
  return [{ text, isEnglish: false }, ...phrase]
}
