import { DesktopOutlined, MoonOutlined, SunOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { type Choice, useAppearance } from '../parts/appearance-context.ts'

/** The switch between light, dark and system appearance. */
export function AppearanceSwitch() {
  const { t } = useTranslation('shell')
  const { choice, isDark, choose } = useAppearance()
  const items = [
    { key: 'light', label: t('appearance.light'), icon: <SunOutlined /> },
    { key: 'dark', label: t('appearance.dark'), icon: <MoonOutlined /> },
    { key: 'system', label: t('appearance.system'), icon: <DesktopOutlined /> },
  ]
  return (
    <Dropdown trigger={['click']} menu={{ items, selectedKeys: [choice], onClick: ({ key }) => choose(key as Choice) }}>
      <Button type="text" icon={isDark ? <MoonOutlined /> : <SunOutlined />} aria-label={t('appearance.title')} />
    </Dropdown>
  )
}
