import { UndoOutlined } from '@ant-design/icons'
import { Button, Flex, Tag, Tooltip, Typography, theme } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { isSame, valueAt } from '../draft.ts'
import { useExplanations } from '../explanations/use-explanations.ts'
import { kindOf, type Node } from '../schema.ts'
import { useSettingsDraft } from '../settings-draft.tsx'
import { SecretControl } from './secret-control.tsx'
import { ValueControl } from './value-control.tsx'

const WIDE: ReadonlySet<string> = new Set(['longText', 'json'])

/** A setting: its name, description, value, error, and a reset to the default. */
export function SettingRow({ node }: { readonly node: Node }) {
  const { t } = useTranslation('settings')
  const { token } = theme.useToken()
  const { explain } = useExplanations()
  const { stored, drafted, patch, canChange, refusals, change, keep, keepUnparsed } = useSettingsDraft()
  const id = useId()
  const { title, about } = explain(node)
  const kind = kindOf(node)
  const value = valueAt(drafted, node.path) ?? node.schema.default
  const isChanged = valueAt(patch, node.path) !== undefined
  const isUsual = isSame(value, node.schema.default) || node.schema.const !== undefined
  const refusal = refusals.get(node.path.join('.'))
  return (
    <Flex
      wrap
      gap="8px 24px"
      align="start"
      style={{ padding: '12px 0', borderBottom: `1px solid ${token.colorBorderSecondary}` }}
    >
      <div style={{ flex: WIDE.has(kind) ? '1 1 100%' : '1 1 260px', minWidth: 0 }}>
        <Flex gap={8} align="center">
          <label htmlFor={id} style={{ fontWeight: 500 }}>
            {title}
          </label>
          {isChanged && <Tag>{t('notSaved')}</Tag>}
        </Flex>
        {about !== '' && (
          <Typography.Text type="secondary" style={{ fontSize: 13 }}>
            {about}
          </Typography.Text>
        )}
        <div>
          <Typography.Text
            type="secondary"
            style={{ fontFamily: token.fontFamilyCode, fontSize: 12, overflowWrap: 'anywhere' }}
            translate="no"
          >
            {node.path.join('.')}
          </Typography.Text>
        </div>
      </div>
      <div
        style={{
          flex: WIDE.has(kind) ? '1 1 100%' : '1 1 280px',
          minWidth: 0,
          maxWidth: WIDE.has(kind) ? 'none' : 440,
        }}
      >
        <Flex gap={8} align="start">
          <div style={{ flex: 1, minWidth: 0 }}>
            {kind === 'secret' ? (
              <SecretControl
                id={id}
                node={node}
                isSet={valueAt(stored, node.path) !== undefined}
                drafted={valueAt(patch, node.path)}
                canChange={canChange}
                onChange={(next) => change(node.path, next)}
                onKeep={() => keep(node.path)}
              />
            ) : (
              <ValueControl
                id={id}
                label={title}
                node={node}
                value={value}
                isDisabled={!canChange}
                isWrong={refusal !== undefined}
                onChange={(next) => change(node.path, next)}
                onUnparsed={() => keepUnparsed(node.path)}
              />
            )}
          </div>
          {canChange && kind !== 'secret' && !isUsual && (
            <Tooltip title={t('reset')}>
              <Button
                type="text"
                icon={<UndoOutlined />}
                aria-label={t('resetOf', { name: title })}
                onClick={() => change(node.path, null)}
              />
            </Tooltip>
          )}
        </Flex>
        {refusal !== undefined && (
          <Typography.Text type="danger" role="alert">
            {refusal}
          </Typography.Text>
        )}
      </div>
    </Flex>
  )
}
