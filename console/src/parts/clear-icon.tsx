import { CloseCircleFilled } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'

/** What stands in the button that empties a field, and names it. */
export function ClearIcon() {
  const { t } = useTranslation('parts')
  return <CloseCircleFilled aria-label={t('clear')} />
}
