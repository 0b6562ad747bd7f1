import { Button, Flex, Input, Tag } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Json } from '../draft.ts'
import { isLong, type Node } from '../schema.ts'

interface SecretControlProps {
  readonly id: string
  readonly node: Node
  /** Whether the server has one. */
  readonly isSet: boolean
  /** The new value; null: removes it */
  readonly drafted: Json | undefined
  readonly canChange: boolean
  onChange(value: Json): void
  onKeep(): void
}

/** A write-only setting: only whether it is set is shown. */
export function SecretControl({ id, node, isSet, drafted, canChange, onChange, onKeep }: SecretControlProps) {
  const { t } = useTranslation('settings')
  const [isReplacing, setIsReplacing] = useState(false)
  const isTyping = canChange && (isReplacing || typeof drafted === 'string' || (!isSet && drafted === undefined))
  const keep = () => {
    setIsReplacing(false)
    onKeep()
  }
  if (!isTyping) {
    const isRemoved = drafted === null
    return (
      <Flex wrap gap={8} align="center">
        <Tag color={isSet && !isRemoved ? 'success' : 'default'}>
          {isSet && !isRemoved ? t('secret.set') : t('secret.notSet')}
        </Tag>
        {canChange && (
          <Button size="small" onClick={() => (isRemoved ? keep() : setIsReplacing(true))}>
            {isRemoved ? t('secret.keep') : t('secret.replace')}
          </Button>
        )}
        {canChange && isSet && !isRemoved && !node.isRequired && (
          <Button size="small" onClick={() => onChange(null)}>
            {t('remove')}
          </Button>
        )}
      </Flex>
    )
  }
  const text = typeof drafted === 'string' ? drafted : ''
  const change = (typed: string) => {
    // Typed text keeps the field open until it is saved.
    setIsReplacing(typed === '')
    if (typed === '') onKeep()
    else onChange(typed)
  }
  return (
    <Flex gap={8}>
      {isLong(node.schema) ? (
        <Input.TextArea
          id={id}
          value={text}
          autoSize={{ minRows: 3, maxRows: 8 }}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <Input.Password
          id={id}
          value={text}
          autoComplete="new-password"
          onChange={(event) => change(event.target.value)}
        />
      )}
      {isSet && <Button onClick={keep}>{t('secret.keep')}</Button>}
    </Flex>
  )
}
