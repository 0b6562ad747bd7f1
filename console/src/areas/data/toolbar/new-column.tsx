import { InsertRowRightOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Button, Checkbox, Form, Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { classesQuery, classNamesQuery } from '../../../api/classes.ts'
import { request } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'

interface Column {
  readonly name: string
  readonly type: (typeof TYPES)[number]
  readonly target?: string
  readonly required?: boolean
  readonly comment?: string
}

const TYPES = [
  'String',
  'Number',
  'Boolean',
  'Date',
  'Object',
  'Array',
  'Pointer',
  'Relation',
  'File',
  'GeoPoint',
  'Bytes',
  'Any',
] as const
const FIELD_NAME = /^[A-Za-z]\w*$/

/** Adds a field to a class: its name and type, and the target class of a pointer or relation. */
export function NewColumn({ className }: { readonly className: string }) {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const queries = useQueryClient()
  const names = useSuspenseQuery(classNamesQuery(appId)).data
  const [isOpen, setIsOpen] = useState(false)
  const [form] = Form.useForm<Column>()
  const type = Form.useWatch('type', form)
  const leadsOn = type === 'Pointer' || type === 'Relation'
  const adding = useMutation({
    mutationFn: ({ name, type: chosen, target, required, comment }: Column) => {
      const options = { ...(target ? { className: target } : {}), ...(required ? { required } : {}) }
      const field = { type: chosen, ...options, ...(comment ? { comment } : {}) }
      return request('PATCH', '/admin/apps/{appId}/classes/{className}', {
        params: { appId, className },
        body: { fields: { [name]: field } },
      })
    },
    onSuccess: async () => {
      await queries.invalidateQueries(classesQuery(appId))
      setIsOpen(false)
    },
  })
  return (
    <>
      <Button icon={<InsertRowRightOutlined />} onClick={() => setIsOpen(true)}>
        {t('columns.add')}
      </Button>
      <Dialog
        open={isOpen}
        title={t('columns.add')}
        okText={t('columns.make')}
        okButtonProps={{ loading: adding.isPending }}
        onOk={() => form.submit()}
        onCancel={() => setIsOpen(false)}
        destroyOnHidden
        afterClose={() => adding.reset()}
      >
        <Form
          form={form}
          layout="vertical"
          preserve={false}
          requiredMark={false}
          initialValues={{ type: 'String' }}
          onFinish={(column) => adding.mutate(column)}
        >
          <Form.Item
            name="name"
            label={t('columns.name')}
            rules={[{ required: true, pattern: FIELD_NAME, message: t('columns.nameRule') }]}
          >
            <Input autoFocus autoComplete="off" spellCheck={false} />
          </Form.Item>
          <Form.Item name="type" label={t('columns.type')}>
            <Select options={TYPES.map((name) => ({ value: name, label: `${name} · ${t(`types.${name}`)}` }))} />
          </Form.Item>
          {leadsOn && (
            <Form.Item
              name="target"
              label={t('columns.target')}
              rules={[{ required: true, message: t('columns.targetRule') }]}
            >
              <Select showSearch options={names.map((name) => ({ value: name, label: name }))} />
            </Form.Item>
          )}
          {type !== 'Relation' && (
            <Form.Item name="required" valuePropName="checked" style={{ marginBottom: 12 }}>
              <Checkbox>{t('columns.required')}</Checkbox>
            </Form.Item>
          )}
          <Form.Item name="comment" label={t('columns.comment')}>
            <Input maxLength={1000} />
          </Form.Item>
        </Form>
        <ProblemNotice error={adding.error} />
      </Dialog>
    </>
  )
}
