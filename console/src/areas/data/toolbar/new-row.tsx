import { PlusOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { path } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { classCountsQuery, rowsKey } from '../data-queries.ts'
import { useMissingText } from '../editors/use-missing-text.ts'
import { ValueEditor } from '../editors/value-editor.tsx'
import { useEdits } from '../edits/edits.tsx'

interface NewRowProps {
  readonly description: ClassDescription
  readonly type: 'primary' | 'default'
}

/** Adds an object: an empty one, or one with the required fields of the class. */
export function NewRow({ description, type }: NewRowProps) {
  const { t } = useTranslation('data')
  const { message } = App.useApp()
  const { appId, call } = useApp()
  const queries = useQueryClient()
  const edits = useEdits()
  const [entered, setEntered] = useState<{ readonly [field: string]: unknown } | null>(null)
  const [isTried, setIsTried] = useState(false)
  const missingText = useMissingText()
  const { className } = description
  const needed = Object.entries(description.fields).filter(([, field]) => field.required && field.default === undefined)
  const changed = () => {
    void queries.invalidateQueries(classCountsQuery(appId))
    return queries.invalidateQueries({ queryKey: rowsKey(appId, className) })
  }
  const adding = useMutation({
    mutationFn: (fields: object) =>
      call<{ objectId: string }>('POST', path`/1.1/classes/${className}`, { body: fields }),
    onSuccess: async ({ objectId }) => {
      setEntered(null)
      edits.note({
        done: t('rows.added', { id: objectId }),
        undo: async () => {
          await call('DELETE', path`/1.1/classes/${className}/${objectId}`)
          await changed()
        },
      })
      await changed()
    },
    onError: (error) => entered === null && void message.error(error.message),
  })
  const isComplete = needed.every(([name]) => missingText(ownMember(entered, name)) === null)
  return (
    <>
      <Button
        type={type}
        icon={<PlusOutlined />}
        loading={adding.isPending}
        onClick={() => (needed.length > 0 ? setEntered({}) : adding.mutate({}))}
      >
        {t('rows.add')}
      </Button>
      <Dialog
        open={entered !== null}
        title={t('rows.add')}
        okText={t('rows.make')}
        okButtonProps={{ loading: adding.isPending }}
        onOk={() => (isComplete ? adding.mutate(entered!) : setIsTried(true))}
        afterClose={() => setIsTried(false)}
        onCancel={() => setEntered(null)}
        destroyOnHidden
      >
        <Typography.Paragraph type="secondary">{t('rows.needed')}</Typography.Paragraph>
        <Flex vertical gap={12} style={{ marginBottom: 16 }}>
          {needed.map(([name, field]) => (
            <Flex key={name} vertical gap={4}>
              <Typography.Text strong translate="no">
                {name}
              </Typography.Text>
              <ValueEditor
                field={field}
                label={name}
                value={ownMember(entered, name)}
                onChange={(value) => setEntered((now) => ({ ...now, [name]: value }))}
              />
              {isTried && missingText(ownMember(entered, name)) !== null && (
                <Typography.Text type="danger" role="alert">
                  {missingText(ownMember(entered, name))}
                </Typography.Text>
              )}
            </Flex>
          ))}
        </Flex>
        <ProblemNotice error={adding.error} />
      </Dialog>
    </>
  )
}
