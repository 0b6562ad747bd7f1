import { Alert, Collapse, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { App } from '../../api/apps.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { useNewApp } from './app-changes.ts'
import { AppKeys } from './app-keys.tsx'

interface Fields {
  readonly name: string
  readonly ownerEmail?: string
  readonly appId?: string
  readonly appKey?: string
  readonly masterKey?: string
}

interface NewAppDialogProps {
  onOpen(app: App): void
  onClose(): void
}

/** Creates an app, then shows its keys and a link to it. */
export function NewAppDialog({ onOpen, onClose }: NewAppDialogProps) {
  const { t } = useTranslation('apps')
  const [form] = Form.useForm<Fields>()
  const making = useNewApp()
  const made = making.data
  const make = ({ name, ownerEmail, appId, appKey, masterKey }: Fields) =>
    making.mutate({
      name,
      ownerEmail: ownerEmail || null,
      ...(appId && { appId }),
      ...(appKey && { appKey }),
      ...(masterKey && { masterKey }),
    })
  if (made)
    return (
      <Dialog
        open
        title={t('new.made', { name: made.name })}
        okText={t('new.open')}
        cancelText={t('new.close')}
        width={680}
        onOk={() => onOpen(made)}
        onCancel={onClose}
      >
        <Alert showIcon type="success" title={t('new.madeAbout')} style={{ marginBottom: 16 }} />
        <AppKeys app={made} />
      </Dialog>
    )
  return (
    <Dialog
      open
      title={t('new.title')}
      okText={t('new.make')}
      confirmLoading={making.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Form form={form} layout="vertical" onFinish={make}>
        <Form.Item
          name="name"
          label={t('name')}
          rules={[{ required: true, whitespace: true, message: t('nameNeeded') }]}
        >
          <Input autoFocus maxLength={100} autoComplete="off" />
        </Form.Item>
        <Form.Item
          name="ownerEmail"
          label={t('ownerEmail')}
          extra={t('ownerEmailAbout')}
          rules={[{ type: 'email', message: t('emailWrong') }]}
        >
          <Input type="email" autoComplete="email" />
        </Form.Item>
        <Collapse
          ghost
          items={[
            {
              key: 'keys',
              label: t('new.ownKeys'),
              children: (
                <>
                  <Alert type="info" title={t('new.ownKeysAbout')} style={{ marginBottom: 16 }} />
                  {(['appId', 'appKey', 'masterKey'] as const).map((name) => (
                    <Form.Item key={name} name={name} label={t(`keys.${name}`)}>
                      <Input autoComplete="off" spellCheck={false} maxLength={128} />
                    </Form.Item>
                  ))}
                </>
              ),
            },
          ]}
        />
        <ProblemNotice error={making.error} />
      </Form>
    </Dialog>
  )
}
