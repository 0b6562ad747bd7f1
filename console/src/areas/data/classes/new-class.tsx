import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { classesQuery } from '../../../api/classes.ts'
import { request } from '../../../api/request.ts'
import { useApp } from '../../../api/use-app.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { classCountsQuery } from '../data-queries.ts'

interface NewClassProps {
  readonly open: boolean
  onClose(): void
}

const CLASS_NAME = /^[A-Za-z]\w*$/

/** Asks for the name of a new class, creates it and opens it. */
export function NewClass({ open, onClose }: NewClassProps) {
  const { t } = useTranslation('data')
  const { appId } = useApp()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [form] = Form.useForm<{ className: string }>()
  const making = useMutation({
    mutationFn: ({ className }: { className: string }) =>
      request('POST', '/admin/apps/{appId}/classes', { params: { appId }, body: { className } }),
    onSuccess: async (_, { className }) => {
      await queries.invalidateQueries(classesQuery(appId))
      void queries.invalidateQueries(classCountsQuery(appId))
      onClose()
      await navigate({ to: '/apps/$appId/data/$className', params: { appId, className } })
    },
  })
  return (
    <Dialog
      open={open}
      title={t('classes.create')}
      okText={t('classes.make')}
      okButtonProps={{ loading: making.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
      destroyOnHidden
      afterClose={() => making.reset()}
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        preserve={false}
        onFinish={(made) => making.mutate(made)}
      >
        <Form.Item
          name="className"
          label={t('classes.name')}
          extra={t('classes.nameRule')}
          rules={[{ required: true, pattern: CLASS_NAME, message: t('classes.nameRule') }]}
        >
          <Input autoFocus autoComplete="off" spellCheck={false} />
        </Form.Item>
      </Form>
      <ProblemNotice error={making.error} />
    </Dialog>
  )
}
