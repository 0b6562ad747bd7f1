import { CheckOutlined, FileOutlined, NodeIndexOutlined } from '@ant-design/icons'
import { Flex, Tag, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { useFormat } from '../../../i18n/format.ts'
import { shownText } from '../../../parts/shown-text.ts'
import type { Acl } from '../data-queries.ts'
import { PointerLink } from '../titles/pointer-link.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { aclOf, fileName, isDate, isFile, isGeoPoint, isPointer } from './typed-value.ts'
import { useAclText } from './use-acl-text.ts'

/** Maximum number of characters shown in a cell. */
const SHOWN = 300

/** Maximum number of pointers of a list shown in a cell. */
const SHOWN_POINTERS = 3

interface CellValueProps {
  readonly field: Field
  readonly value: unknown
  /** The tabindex of the cell, for links inside it. */
  readonly tabIndex?: number
}

/** A value in a cell, displayed by its actual type rather than that of the field: old objects can differ. */
export function CellValue({ field, value, tabIndex }: CellValueProps) {
  const { t } = useTranslation('data')
  const format = useFormat()
  if (value === undefined) return null
  if (value === null) return <Faint text={t('value.null')} />
  if (field.type === 'ACL') return <AclValue acl={aclOf(value)} />
  if (field.type === 'Relation')
    return (
      <Typography.Text type="secondary">
        <NodeIndexOutlined /> {t('value.relation', { className: field.className ?? '' })}
      </Typography.Text>
    )
  if (field.type === 'Date' && typeof value === 'string') return format.time(value)
  if (isDate(value)) return format.time(value.iso)
  if (isPointer(value)) return <PointerLink pointer={value} tabIndex={tabIndex} />
  if (Array.isArray(value) && value.length > 0 && value.every(isPointer)) {
    const more = value.length - SHOWN_POINTERS
    return (
      <Flex component="span" gap={8}>
        {value.slice(0, SHOWN_POINTERS).map((pointer, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same pointer may be there twice
          <PointerLink key={index} pointer={pointer} tabIndex={tabIndex} />
        ))}
        {more > 0 && <Faint text={`+${format.number(more)}`} />}
      </Flex>
    )
  }
  if (isGeoPoint(value)) return `${value.latitude}, ${value.longitude}`
  if (isFile(value))
    return (
      <>
        <Thumbnail file={value} size={24} fallback={<FileOutlined />} /> {fileName(value)}
      </>
    )
  if (typeof value === 'string') return value === '' ? <Faint text={'""'} /> : value.slice(0, SHOWN)
  if (typeof value === 'boolean') return <Tag icon={value && <CheckOutlined />}>{String(value)}</Tag>
  if (typeof value === 'number') return <span className="data-number">{value}</span>
  return <span className="data-code">{shownText(value).slice(0, SHOWN)}</span>
}

/** Text that is not user data. */
function Faint({ text }: { readonly text: string }) {
  return (
    <Typography.Text type="secondary" italic>
      {text}
    </Typography.Text>
  )
}

function AclValue({ acl }: { readonly acl: Acl }) {
  return useAclText()(acl)
}
