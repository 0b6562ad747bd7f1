import { Link } from '@tanstack/react-router'
import { Result } from 'antd'
import { useTranslation } from 'react-i18next'

/** Replaces a page that does not exist. */
export function PageNotFound() {
  const { t } = useTranslation('parts')
  return (
    <Result
      status="404"
      title={t('nowhere.title')}
      subTitle={t('nowhere.about')}
      extra={<Link to="/">{t('nowhere.home')}</Link>}
    />
  )
}
