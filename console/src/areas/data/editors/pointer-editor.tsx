import { Flex, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EntryFault } from '../../../parts/entry/entry-fault.tsx'
import { parseObjectId, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { type PointerValue, pointerTo } from '../values/typed-value.ts'
import { ObjectSearch } from './object-search.tsx'

interface PointerEditorProps {
  readonly className: string
  readonly value: PointerValue | null
  /** @param value undefined: empty; `Unparsed`: an invalid objectId */
  onChange(value: PointerValue | undefined | Unparsed): void
}

/** Selects the target of a pointer: by a search, or by a known id. */
export function PointerEditor({ className, value, onChange }: PointerEditorProps) {
  const { t } = useTranslation('data')
  const [typed, setTyped] = useState<string | null>(null)
  const id = typed ?? value?.objectId ?? ''
  const entered = id.trim() === '' ? undefined : parseObjectId(id)
  const isWrong = entered instanceof Unparsed
  return (
    <Flex vertical gap={8}>
      <ObjectSearch
        className={className}
        value={value?.objectId ?? null}
        label={t('pointer.search', { className })}
        onChoose={({ objectId }) => {
          setTyped(null)
          onChange(pointerTo(className, objectId))
        }}
      />
      <div>
        <Input
          aria-label={t('pointer.id')}
          aria-invalid={isWrong}
          status={isWrong ? 'error' : ''}
          placeholder={t('pointer.id')}
          autoComplete="off"
          spellCheck={false}
          value={id}
          onChange={({ target: { value: text } }) => {
            setTyped(text)
            const read = text.trim() === '' ? undefined : parseObjectId(text)
            onChange(typeof read === 'string' ? pointerTo(className, read) : read)
          }}
        />
        <EntryFault value={entered} />
      </div>
    </Flex>
  )
}
