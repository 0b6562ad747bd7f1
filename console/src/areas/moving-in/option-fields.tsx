import { Checkbox, Collapse, Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { ENCODING_OPTIONS } from '../../parts/entry/encoding-options.ts'
import { LocalTimeInput } from '../../parts/entry/local-time-input.tsx'
import { NumberInput } from '../../parts/entry/number-input.tsx'
import { type TimeValue, Unparsed } from '../../parts/entry/parse-entry.ts'
import type { Action, Move, MoveOptions } from './moving-in-queries.ts'

interface OptionFieldsProps {
  readonly action: Action
  readonly move: Move
}

type Choice =
  | 'files'
  | 'passwords'
  | 'messages'
  | 'chatDetails'
  | 'compareIds'
  | 'allowManyDeletions'
  | 'follow'
  | 'withoutAcl'
  | 'rewriteUrls'
  | 'again'
  | 'strict'

/** The options of an action for files, and for a running app. */
const CHOICES: { readonly [action in Action]: { readonly [kind in 'files' | 'app']: readonly Choice[] } } = {
  try: { files: ['strict'], app: ['files', 'messages', 'withoutAcl'] },
  bring: {
    files: ['rewriteUrls', 'again', 'strict'],
    app: [
      'files',
      'passwords',
      'messages',
      'chatDetails',
      'compareIds',
      'allowManyDeletions',
      'withoutAcl',
      'rewriteUrls',
      'again',
      'strict',
      'follow',
    ],
  },
  verify: { files: ['rewriteUrls'], app: ['files', 'messages', 'withoutAcl', 'rewriteUrls'] },
}
const ON_BY_DEFAULT: readonly Choice[] = ['files', 'passwords', 'messages']
const CONFLICTS = ['skip', 'newer', 'overwrite'] as const satisfies readonly MoveOptions['onConflict'][]
/** Fields and messages, separated by commas or spaces. */
const TEXTS = /^[\s,]*((messages|\w+\.\w+)([\s,]+|$))*$/
/** The validated fields; an action does not start while one is invalid. */
const READABLE = [
  {
    message: '',
    validator: (_: unknown, value: unknown) =>
      value instanceof Unparsed ? Promise.reject(new Error()) : Promise.resolve(),
  },
]
const WIDE = { maxWidth: 420 } as const

/** The options of an action. */
export function OptionFields({ action, move }: OptionFieldsProps) {
  const { t } = useTranslation('movingIn')
  const { kind } = move.source
  const isPull = kind === 'app' && action === 'bring'
  const choices = CHOICES[action][kind]
  return (
    <>
      {kind === 'app' && !move.hasKey && (
        <Form.Item name="masterKey" label={t('app.masterKey')} rules={[{ required: true, message: t('app.required') }]}>
          <Input.Password autoComplete="off" />
        </Form.Item>
      )}
      <Collapse
        ghost
        size="small"
        style={{ marginBottom: 12 }}
        items={[
          {
            key: 'options',
            label: t('options.title'),
            forceRender: true,
            children: (
              <>
                {action !== 'verify' && <ConflictField kind={kind} />}
                {kind === 'files' && <EncodingField chosen={move.options.encoding} />}
                {kind === 'app' && (
                  <Form.Item name="rate" label={t('options.rate')} initialValue={10} rules={READABLE}>
                    <NumberInput min={1} max={1000} />
                  </Form.Item>
                )}
                {kind === 'app' && action !== 'verify' && (
                  <Form.Item
                    name="parallel"
                    label={t('options.parallel')}
                    extra={t('options.parallelAbout')}
                    rules={READABLE}
                  >
                    <NumberInput min={1} max={32} isInteger placeholder="1" />
                  </Form.Item>
                )}
                {isPull && <NightFields />}
                {choices.map((choice) => (
                  <Form.Item
                    key={choice}
                    name={choice}
                    valuePropName="checked"
                    initialValue={ON_BY_DEFAULT.includes(choice)}
                    style={{ marginBottom: 4 }}
                  >
                    <Checkbox>{choiceText(choice)}</Checkbox>
                  </Form.Item>
                ))}
                {isPull && <FollowFields />}
                {isPull && (
                  <Form.Item name="filesFrom" label={t('options.filesFrom')} extra={t('options.filesFromAbout')}>
                    <Input inputMode="url" placeholder="https://files.example.org" style={WIDE} />
                  </Form.Item>
                )}
                {choices.includes('rewriteUrls') && action === 'bring' && <RewriteFields />}
                {choices.includes('rewriteUrls') && (
                  <Form.Item name="oldDomains" label={t('options.oldDomains')} extra={t('options.oldDomainsAbout')}>
                    <Input placeholder="files.example.org" style={WIDE} />
                  </Form.Item>
                )}
                {action === 'verify' && choices.length === 0 && t('options.none')}
              </>
            ),
          },
        ]}
      />
    </>
  )

  function choiceText(choice: Choice): string {
    const hasExport = move.source.kind === 'app' && move.source.users !== undefined
    return t(choice === 'passwords' && hasExport ? 'options.passwordsFromExport' : `options.${choice}`)
  }
}

function ConflictField({ kind }: { readonly kind: 'files' | 'app' }) {
  const { t } = useTranslation('movingIn')
  return (
    <Form.Item name="onConflict" label={t('options.onConflict')} initialValue={kind === 'app' ? 'newer' : 'skip'}>
      <Select style={WIDE} options={CONFLICTS.map((value) => ({ value, label: t(`options.conflicts.${value}`) }))} />
    </Form.Item>
  )
}

/** The encoding of the files. @param chosen that of the last action, because all actions must read the same texts */
function EncodingField({ chosen }: { readonly chosen: MoveOptions['encoding'] }) {
  const { t } = useTranslation('movingIn')
  return (
    <Form.Item name="encoding" label={t('options.encoding')} extra={t('options.encodingAbout')} initialValue={chosen}>
      <Select allowClear style={WIDE} placeholder={t('options.encodingDetected')} options={ENCODING_OPTIONS} />
    </Form.Item>
  )
}

/** The hours with the full request rate, and the rate at other times. */
function NightFields() {
  const { t } = useTranslation('movingIn')
  return (
    <>
      <Form.Item
        name="nightHours"
        label={t('options.nightHours')}
        extra={t('options.nightHoursAbout')}
        rules={[{ pattern: /^\s*\d{1,2}-\d{1,2}\s*$/, message: t('options.nightHoursWrong') }]}
      >
        <Input placeholder="22-6" style={{ maxWidth: 120 }} />
      </Form.Item>
      <Form.Item noStyle dependencies={['nightHours']}>
        {({ getFieldValue }) =>
          getFieldValue('nightHours') && (
            <Form.Item name="dayRate" label={t('options.dayRate')} rules={READABLE}>
              <NumberInput min={0.1} max={1000} />
            </Form.Item>
          )
        }
      </Form.Item>
    </>
  )
}

/** The texts in which URLs are rewritten. */
function RewriteFields() {
  const { t } = useTranslation('movingIn')
  return (
    <Form.Item noStyle dependencies={['rewriteUrls']}>
      {({ getFieldValue }) =>
        getFieldValue('rewriteUrls') && (
          <Form.Item
            name="rewriteFields"
            label={t('options.rewriteFields')}
            extra={t('options.rewriteFieldsAbout')}
            rules={[{ pattern: TEXTS, message: t('options.rewriteFieldsWrong') }]}
          >
            <Input placeholder="Post.cover, messages" style={WIDE} />
          </Form.Item>
        )
      }
    </Form.Item>
  )
}

/** The interval and end of following. */
function FollowFields() {
  const { t } = useTranslation('movingIn')
  return (
    <Form.Item noStyle dependencies={['follow']}>
      {({ getFieldValue }) =>
        getFieldValue('follow') && (
          <>
            <Form.Item name="every" label={t('options.every')} initialValue={60} rules={READABLE}>
              <NumberInput min={1} max={1000} isInteger />
            </Form.Item>
            <Form.Item
              name="until"
              label={t('options.until')}
              extra={t('options.untilAbout')}
              rules={READABLE}
              // The time as ISO, as it is sent.
              getValueFromEvent={(entered?: TimeValue | Unparsed) =>
                entered instanceof Unparsed ? entered : entered?.iso
              }
            >
              <LocalTimeInput style={{ maxWidth: 240 }} />
            </Form.Item>
          </>
        )
      }
    </Form.Item>
  )
}
