import { Button, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useShownData } from '../data-search.ts'
import type { PointerValue } from '../values/typed-value.ts'
import { useTitle } from './use-title.ts'

interface PointerLinkProps {
  readonly pointer: PointerValue
  /** Of the cell that it is in. */
  readonly tabIndex?: number | undefined
}

/** Opens the object that a pointer leads to, and says which one it is: by its title and by its id. */
export function PointerLink({ pointer, tabIndex }: PointerLinkProps) {
  return <ObjectLink pointer={pointer} tabIndex={tabIndex} title={useTitle(pointer.className, pointer.objectId)} />
}

interface ObjectLinkProps extends PointerLinkProps {
  /** Empty: the id alone is shown, as of the object whose own row it is */
  readonly title: string
}

/** Opens an object. */
export function ObjectLink({ pointer: { className, objectId }, tabIndex, title }: ObjectLinkProps) {
  const { t } = useTranslation('data')
  const { show } = useShownData()
  const shown = title === '' ? objectId : `${title} ${objectId}`
  return (
    <Button
      type="link"
      size="small"
      tabIndex={tabIndex}
      title={objectId}
      style={{ padding: 0, height: 'auto' }}
      aria-label={t('value.openPointer', { className, id: shown })}
      onClick={() => show({ open: `${className}/${objectId}` })}
    >
      {title === '' ? (
        objectId
      ) : (
        <>
          {title} <Typography.Text type="secondary">{objectId}</Typography.Text>
        </>
      )}
    </Button>
  )
}
