import { useMutation } from '@tanstack/react-query'
import { Checkbox, Form, Select, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { queryClient } from '../../api/query-client.ts'
import { useApp } from '../../api/use-app.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { changeClass, indexesQuery } from './class-queries.ts'

const MAX_KEYS = 4
/** Types that always have their own index. */
const INDEXED_OTHERWISE = new Set(['Relation', 'GeoPoint'])

interface Wanted {
  readonly fields: string[]
  readonly unique: boolean
}

/** Requests an index of one to four fields, in order. The class stays writable during the build. */
export function IndexDialog({ description, onClose }: { readonly description: ClassDescription; onClose(): void }) {
  const { t } = useTranslation('classes')
  const { appId } = useApp()
  const { className, fields } = description
  const [form] = Form.useForm<Wanted>()
  const making = useMutation({
    mutationFn: (wanted: Wanted) => changeClass(appId, className, { indexes: [wanted] }),
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: indexesQuery(appId, className).queryKey }),
  })
  const names = Object.keys(fields).filter((name) => !INDEXED_OTHERWISE.has(fields[name]!.type))
  const options = [...names, 'createdAt', 'updatedAt'].flatMap((name) => [
    { value: name, label: t('indexes.up', { name }) },
    { value: `-${name}`, label: t('indexes.down', { name }) },
  ])
  return (
    <Dialog
      open
      title={t('indexes.add')}
      okText={t('indexes.make')}
      okButtonProps={{ loading: making.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <Form<Wanted>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ fields: [], unique: false }}
        onFinish={(wanted) => making.mutate(wanted)}
      >
        <Form.Item
          name="fields"
          label={t('indexes.keys')}
          extra={t('indexes.keysAbout')}
          rules={[{ required: true, type: 'array', min: 1, message: t('indexes.keysNeeded') }]}
        >
          <Select mode="multiple" options={options} maxCount={MAX_KEYS} showSearch />
        </Form.Item>
        <Form.Item name="unique" valuePropName="checked" extra={t('indexes.uniqueAbout')}>
          <Checkbox>{t('indexes.unique')}</Checkbox>
        </Form.Item>
        {making.isPending && <Typography.Paragraph type="secondary">{t('indexes.makingAbout')}</Typography.Paragraph>}
        <ProblemNotice error={making.error} />
      </Form>
    </Dialog>
  )
}
