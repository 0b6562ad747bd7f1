import { Button, Checkbox, Form, Input } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownText } from '../../parts/shown-text.ts'
import type { UserChanges } from './use-user-changes.ts'
import type { User } from './users-queries.ts'

type Fields = typeof NOTHING

const NOTHING = { username: '', email: '', emailVerified: false, mobilePhoneNumber: '', mobilePhoneVerified: false }
const NAMES = Object.keys(NOTHING) as (keyof Fields)[]

interface UserFieldsProps {
  readonly user: User
  readonly changes: UserChanges
  readonly canChange: boolean
}

/** The profile of a user. Only changes are sent; unsaved input is kept when the user is reloaded. */
export function UserFields({ user, changes: { change }, canChange }: UserFieldsProps) {
  const { t } = useTranslation('users')
  const [form] = Form.useForm<Fields>()
  const known = fieldsOf(user)
  useEffect(() => {
    const current = fieldsOf(user)
    form.setFields(NAMES.filter((name) => !form.isFieldTouched(name)).map((name) => ({ name, value: current[name] })))
  }, [form, user])
  const save = (fields: Fields) => {
    const changed = NAMES.filter((name) => fields[name] !== known[name])
    const body = Object.fromEntries(
      changed.map((name) => [name, fields[name] === '' ? { __op: 'Delete' } : fields[name]]),
    )
    change.mutate(body, { onSuccess: () => form.setFields(changed.map((name) => ({ name, touched: false }))) })
  }
  return (
    <Form<Fields> form={form} layout="vertical" initialValues={known} disabled={!canChange} onFinish={save}>
      <Form.Item name="username" label={t('fields.username')} rules={[{ required: true, message: t('new.needed') }]}>
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item name="email" label={t('fields.email')} style={{ marginBottom: 4 }}>
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item name="emailVerified" valuePropName="checked">
        <Checkbox>{t('fields.emailVerified')}</Checkbox>
      </Form.Item>
      <Form.Item name="mobilePhoneNumber" label={t('fields.mobilePhoneNumber')} style={{ marginBottom: 4 }}>
        <Input autoComplete="off" />
      </Form.Item>
      <Form.Item name="mobilePhoneVerified" valuePropName="checked">
        <Checkbox>{t('fields.mobilePhoneVerified')}</Checkbox>
      </Form.Item>
      <ProblemNotice error={change.error} />
      {canChange && (
        <Button type="primary" htmlType="submit" loading={change.isPending}>
          {t('save')}
        </Button>
      )}
    </Form>
  )
}

function fieldsOf(user: User): Fields {
  return {
    username: shownText(user.username),
    email: shownText(user.email),
    emailVerified: user.emailVerified === true,
    mobilePhoneNumber: shownText(user.mobilePhoneNumber),
    mobilePhoneVerified: user.mobilePhoneVerified === true,
  }
}
