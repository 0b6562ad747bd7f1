import { Button, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useShownData } from '../data-search.ts'
import type { PointerValue } from '../values/typed-value.ts'
import { useTitle } from './use-title.ts'

interface PointerLinkProps {
  readonly pointer: PointerValue
  /** The tabindex of its cell. */
  readonly tabIndex?: number | undefined
}

/** A link to the target of a pointer, labeled with its title and id. */
export function PointerLink({ pointer, tabIndex }: PointerLinkProps) {
  return <ObjectLink pointer={pointer} tabIndex={tabIndex} title={useTitle(pointer.className, pointer.objectId)} />
}

interface ObjectLinkProps extends PointerLinkProps {
  /** Empty: only the id is shown, as in the object's own row */
  readonly title: string
}

/** A link to an object. */
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
