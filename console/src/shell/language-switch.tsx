import { GlobalOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { chooseLanguage, LANGUAGES, type Language } from '../i18n/setup.ts'

/** The language switch, with each language in its own name. */
export function LanguageSwitch() {
  const { t, i18n } = useTranslation('shell')
  const items = Object.entries(LANGUAGES).map(([key, label]) => ({ key, label: <span lang={key}>{label}</span> }))
  return (
    <Dropdown
      trigger={['click']}
      menu={{ items, selectedKeys: [i18n.language], onClick: ({ key }) => void chooseLanguage(key as Language) }}
    >
      <Button type="text" icon={<GlobalOutlined />} aria-label={t('language')} />
    </Dropdown>
  )
}
