import { Descriptions, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { App } from '../../api/apps.ts'
import { ShownKey } from './shown-key.tsx'

/** The credentials of an app and its back end. Keys that grant all permissions are masked. */
export function AppKeys({ app }: { readonly app: App }) {
  const { t } = useTranslation('apps')
  const { appId, appKey, masterKey, hookKey } = app
  const item = (key: string, label: string, about: string, value: string | undefined, isSecret: boolean) => ({
    key,
    label: (
      <>
        <div>{label}</div>
        <Typography.Text type="secondary" style={{ fontSize: 12 }}>
          {about}
        </Typography.Text>
      </>
    ),
    children:
      value === undefined ? (
        <Typography.Text type="secondary">{t('keys.notForReaders')}</Typography.Text>
      ) : (
        <ShownKey name={label} value={value} isSecret={isSecret} />
      ),
  })
  return (
    <Descriptions
      column={1}
      size="small"
      bordered
      styles={{ label: { width: '42%' } }}
      items={[
        item('appId', t('keys.appId'), t('keys.appIdAbout'), appId, false),
        item('appKey', t('keys.appKey'), t('keys.appKeyAbout'), appKey, false),
        item('masterKey', t('keys.masterKey'), t('keys.masterKeyAbout'), masterKey, true),
        item('hookKey', t('keys.hookKey'), t('keys.hookKeyAbout'), hookKey, true),
      ]}
    />
  )
}
