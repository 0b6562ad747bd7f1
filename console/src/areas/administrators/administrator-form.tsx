import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, Input, Radio, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApps } from '../../api/apps.ts'
import { type Administrator, meQuery, type Role } from '../../api/me.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import {
  type AdministratorFields,
  addAdministrator,
  administratorsQuery,
  changeAdministrator,
  type EntryLink,
} from './administrators-queries.ts'

interface AdministratorFormProps {
  /** null: a new one */
  readonly administrator: Administrator | null
  onClose(): void
  /** Called with the login link of a new administrator. */
  onLink(link: EntryLink): void
}

interface Fields {
  readonly name: string
  readonly role: Role
  readonly reach: 'all' | 'some'
  readonly apps?: readonly string[]
}

const ROLES: readonly Role[] = ['owner', 'administrator', 'reader']

/** A form for the name, the role and the apps of an administrator. */
export function AdministratorForm({ administrator, onClose, onLink }: AdministratorFormProps) {
  const { t } = useTranslation('administrators')
  const apps = useApps()
  const cache = useQueryClient()
  const [form] = Form.useForm<Fields>()
  const role = Form.useWatch('role', form)
  const reach = Form.useWatch('reach', form)
  const keeping = useMutation({
    mutationFn: async (fields: Fields) => {
      const kept = wanted(fields)
      if (administrator) await changeAdministrator(administrator.id, kept)
      else onLink((await addAdministrator(kept)).link)
    },
    onSuccess: async () => {
      await Promise.all([cache.invalidateQueries(administratorsQuery), cache.invalidateQueries(meQuery)])
      onClose()
    },
  })
  const initial: Fields = {
    name: administrator?.name ?? '',
    role: administrator?.role ?? 'administrator',
    reach: administrator?.apps ? 'some' : 'all',
    apps: administrator?.apps ?? [],
  }
  return (
    <Dialog
      open
      title={administrator ? t('editTitle', { name: administrator.name }) : t('addTitle')}
      okText={administrator ? t('keep') : t('addAndLink')}
      okButtonProps={{ loading: keeping.isPending }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <Form<Fields> form={form} layout="vertical" initialValues={initial} onFinish={(fields) => keeping.mutate(fields)}>
        <Form.Item
          name="name"
          label={t('name')}
          rules={[{ required: true, whitespace: true, max: 100, message: t('nameRule') }]}
        >
          <Input autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item name="role" label={t('role')} extra={t(`rolesAbout.${role ?? initial.role}`)}>
          <Radio.Group optionType="button" options={ROLES.map((value) => ({ value, label: t(`roles.${value}`) }))} />
        </Form.Item>
        {(role ?? initial.role) !== 'owner' && (
          <Form.Item name="reach" label={t('apps')}>
            <Radio.Group
              options={[
                { value: 'all', label: t('allAppsToCome') },
                { value: 'some', label: t('someApps') },
              ]}
            />
          </Form.Item>
        )}
        {(role ?? initial.role) !== 'owner' && (reach ?? initial.reach) === 'some' && (
          <Form.Item name="apps" label={t('someApps')} rules={[{ required: true, message: t('appsRule') }]}>
            <Select
              mode="multiple"
              showSearch={{ optionFilterProp: 'label' }}
              options={apps.map(({ appId, name }) => ({ value: appId, label: name }))}
            />
          </Form.Item>
        )}
        <ProblemNotice error={keeping.error} />
      </Form>
    </Dialog>
  )
}

/** Owners have all apps. */
function wanted({ name, role, reach, apps = [] }: Fields): AdministratorFields {
  return { name, role, apps: role === 'owner' || reach === 'all' ? null : apps }
}
