import { useMutation } from '@tanstack/react-query'
import { Alert, Button, Flex, Form, Select, Typography } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Encoding } from '../../../../../src/import/sources/detect-encoding.ts'
import type { ClassDescription } from '../../../api/classes.ts'
import { queryClient } from '../../../api/query-client.ts'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ENCODING_OPTIONS } from '../../../parts/entry/encoding-options.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import type { Column } from '../export/columns.ts'
import { gather, save } from '../export/export-objects.ts'
import { ChooseFile } from './choose-file.tsx'
import { ColumnTypes } from './column-types.tsx'
import { IsSpreadsheet } from './file-text.ts'
import { ImportOutcome } from './import-outcome.tsx'
import { recordsOf, TooLarge, type Understood, understand } from './read-file.ts'
import { type Counts, newImportId, ON_CONFLICT, type OnConflict, rejectedLines, sendRecords } from './send-records.ts'

interface ImportDialogProps {
  readonly description: ClassDescription
  onClose(): void
}

/** Imports the objects of a file into a class: shows its content first, then the progress, then the result. */
export function ImportDialog({ description, onClose }: ImportDialogProps) {
  const { t } = useTranslation('transfer')
  const { appId } = useApp()
  const { className } = description
  const [file, setFile] = useState<File | null>(null)
  const [understood, setUnderstood] = useState<Understood | null>(null)
  const [onConflict, setOnConflict] = useState<OnConflict>('skip')
  const [counts, setCounts] = useState<Counts | null>(null)
  const [importId] = useState(newImportId)
  const abort = useRef<AbortController>(null)
  const looking = useMutation({
    mutationFn: async ({ chosen, encoding }: { readonly chosen: File; readonly encoding?: Encoding }) => {
      setFile(chosen)
      setUnderstood(await understand(chosen, description, encoding))
    },
  })
  const importing = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController()
      const one = { appId, importId, className, file: file!.name, onConflict }
      await sendRecords(one, recordsOf(file!, understood!, className), setCounts, abort.current.signal)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['apps', appId] }),
  })
  const saveRejected = useMutation({
    mutationFn: async () =>
      save(await gather(rejectedLines({ appId, importId }), 'application/x-ndjson'), `${className}-rejected.jsonl`),
  })
  const isOver = importing.isSuccess
  const lookingError = () => {
    if (looking.error instanceof TooLarge) return new Error(t('import.tooLarge'))
    return looking.error instanceof IsSpreadsheet ? new Error(t('import.spreadsheet')) : looking.error
  }
  const close = () => {
    abort.current?.abort()
    onClose()
  }
  return (
    <Dialog
      open
      title={t('import.title', { className })}
      width={820}
      onCancel={close}
      footer={[
        <Button key="close" onClick={close}>
          {t(isOver ? 'import.close' : 'import.cancel')}
        </Button>,
        understood && !isOver && (
          <Button key="go" type="primary" loading={importing.isPending} onClick={() => importing.mutate()}>
            {t('import.go')}
          </Button>
        ),
      ]}
    >
      <Flex vertical gap={16}>
        <ProblemNotice error={lookingError() ?? importing.error ?? saveRejected.error} />
        {!understood && <ChooseFile isPending={looking.isPending} onFile={(chosen) => looking.mutate({ chosen })} />}
        {understood && file && !importing.isPending && !isOver && (
          <>
            <Typography.Text>{t(`import.form.${understood.form}`, { name: file.name })}</Typography.Text>
            <ColumnTypes
              understood={understood}
              onChange={(columns: readonly Column[]) => setUnderstood({ ...understood, columns })}
            />
            <Form layout="vertical">
              <Form.Item label={t('import.encoding')} style={{ marginBottom: 12 }}>
                <Select<Encoding>
                  aria-label={t('import.encoding')}
                  value={understood.encoding}
                  options={ENCODING_OPTIONS}
                  onChange={(encoding) => looking.mutate({ chosen: file, encoding })}
                />
              </Form.Item>
              <Form.Item label={t('import.conflict.title')} style={{ marginBottom: 0 }}>
                <Select<OnConflict>
                  aria-label={t('import.conflict.title')}
                  value={onConflict}
                  options={ON_CONFLICT.map((value) => ({ value, label: t(`import.conflict.${value}`) }))}
                  onChange={setOnConflict}
                />
              </Form.Item>
            </Form>
            <Alert type="info" showIcon title={t('import.silent')} />
          </>
        )}
        {(importing.isPending || counts) && (
          <ImportOutcome
            counts={counts}
            isOver={isOver}
            isSaving={saveRejected.isPending}
            onSaveRejected={() => saveRejected.mutate()}
          />
        )}
      </Flex>
    </Dialog>
  )
}
