import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useIsOutdated } from './outdated.ts'

/**
 * Offers to reload the page when one of its files no longer exists. It does not reload automatically, because of unsaved input.
 */
export function OutdatedNotice() {
  const { t } = useTranslation('parts')
  if (!useIsOutdated()) return null
  return (
    <Alert
      banner
      type="warning"
      role="alert"
      style={{ position: 'sticky', top: 0, zIndex: 20 }}
      title={t('outdated.title')}
      description={t('outdated.about')}
      action={
        <Button type="primary" onClick={() => location.reload()}>
          {t('outdated.reload')}
        </Button>
      }
    />
  )
}
