import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type XmlShape, xmlEscape, xmlTexts } from '../../src/engine/rails/telebirr-ussd/xml.ts';

/**
 * Goal: the XML reader finds the wanted elements under any prefix, rejects documents that parsers
 * read differently, and runs in linear time for any input.
 */

const SHAPE: XmlShape = { Envelope: { Body: { Code: 'text', Name: 'text' } } };

function texts(xml: string): Record<string, string> | null {
  const found = xmlTexts(xml, SHAPE);
  return found && Object.fromEntries(found);
}

function envelope(body: string): string {
  return `<e:Envelope xmlns:e="urn:e"><e:Body>${body}</e:Body></e:Envelope>`;
}

describe('finds the wanted elements', () => {
  test.each([
    ['one prefix', '<s:Envelope xmlns:s="a"><s:Body><s:Code>0</s:Code></s:Body></s:Envelope>'],
    ['no prefix', '<Envelope><Body><Code>0</Code></Body></Envelope>'],
    ['a prefix each', '<a:Envelope><b:Body><c-1._:Code>0</c-1._:Code></b:Body></a:Envelope>'],
    [
      'a declaration',
      '<?xml version="1.0" encoding="UTF-8"?>\r\n<Envelope><Body><Code>0</Code></Body></Envelope>\n',
    ],
    [
      'space everywhere',
      "<Envelope a = 'b>c'\n b=\"'\" >\n <Body\t>\n<Code >\n 0\t</Code >\n</Body></Envelope>",
    ],
    ['character data', '<Envelope><Body><Code><![CDATA[0]]></Code></Body></Envelope>'],
    [
      'comments around it',
      '<!-- a --> <!----><Envelope><!-- <Code>1</Code> & --><Body>\n<!-- > --><Code>0</Code><!--x-->' +
        '</Body><Other>a<!-- b -->c</Other></Envelope><!-- end -->\n',
    ],
    [
      'other elements around it',
      envelope('<Header/><x><Code>1</Code><Body/></x>text<Code>0</Code><y a=""/>'),
    ],
  ])('%s', (_name, xml) => {
    expect(texts(xml)).toEqual({ Code: '0' });
  });

  test('decodes the five entities and characters by number', () => {
    const xml = envelope('<Name>&lt;&amp;amp;&gt; &quot;&apos;&#4768;&#x12A0;</Name>');
    expect(texts(xml)).toEqual({ Name: `<&amp;> "'አአ` });
  });

  test('reads character data unchanged', () => {
    expect(texts(envelope('<Name>a<![CDATA[<Code>&x;</Code>]]>b</Name>'))).toEqual({
      Name: 'a<Code>&x;</Code>b',
    });
  });

  test('reads an empty element as an empty text, and a missing one as none', () => {
    expect(texts(envelope('<Code/><Name></Name>'))).toEqual({ Code: '', Name: '' });
    expect(texts('<Other/>')).toEqual({});
    expect(texts('<Envelope><Code>0</Code></Envelope>')).toEqual({});
  });

  test('treats names of Object.prototype like any other', () => {
    const xml = envelope('<constructor/><constructor/><__proto__><Code>1</Code></__proto__>');
    expect(texts(xml)).toEqual({});
  });

  test('reads back every escaped text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(texts(envelope(`<Name>${xmlEscape(text)}</Name>`))).toEqual({ Name: text.trim() });
      }),
    );
  });
});

describe('rejects what parsers may read differently', () => {
  test.each([
    ['nothing', ''],
    ['no markup', 'ResultCode=0'],
    ['JSON', '{"ResultCode":0}'],
    ['a DOCTYPE', `<!DOCTYPE a [<!ENTITY x "0">]>${envelope('<Code>0</Code>')}`],
    ['an external DTD', `<!DOCTYPE a SYSTEM "file:///etc/passwd">${envelope('<Code>0</Code>')}`],
    ['an entity of its own', envelope('<Code>&x;</Code>')],
    ['such an entity elsewhere', envelope('<x>&x;</x><Code>0</Code>')],
    ['such an entity in an attribute', envelope('<x a="&x;"/><Code>0</Code>')],
    ['a bare ampersand', envelope('<Code>0 & 1</Code>')],
    ['a reference without its end', envelope('<Code>&#48</Code>')],
    ['a comment within a text', envelope('<Code>0<!-- 1 --></Code>')],
    ['a comment before a text', envelope('<Code><!-- 1 -->0</Code>')],
    ['a comment without an end', envelope('<!-- <Code>0</Code>')],
    ['a comment with an early end', envelope('<!---><Code>0</Code>')],
    ['a comment with two hyphens', envelope('<!-- a -- b --><Code>0</Code>')],
    ['a comment with three hyphens', envelope('<!-- a ---><Code>0</Code>')],
    ['a comment before the declaration', '<!-- a --><?xml version="1.0"?><Envelope/>'],
    ['a comment instead of a root', '<!-- a -->'],
    ['a comment after the root without an end', `${envelope('<Code>0</Code>')}<!-- a`],
    ['text after a comment after the root', `${envelope('<Code>0</Code>')}<!-- a -->x`],
    ['a processing instruction', envelope('<?x y?><Code>0</Code>')],
    ['a wanted element twice', envelope('<Code>1</Code><Code>0</Code>')],
    ['and under another prefix', envelope('<a:Code>1</a:Code><b:Code>0</b:Code>')],
    ['and empty', envelope('<Code/><Code>0</Code>')],
    ['two bodies', '<Envelope><Body><Code>0</Code></Body><Body/></Envelope>'],
    ['two roots', '<Envelope/><Envelope/>'],
    ['text before the root', `x${envelope('')}`],
    ['text after the root', `${envelope('')}x`],
    ['character data only', '<![CDATA[x]]>'],
    ['character data after the root', `${envelope('')}<![CDATA[x]]>`],
    ['an element within a text', envelope('<Code>0<b/></Code>')],
    ['overlapping elements', '<Envelope><Body><a><b></a></b></Body></Envelope>'],
    ['an end tag with another prefix', '<a:Envelope></b:Envelope>'],
    ['an extra end tag', '<Envelope></Envelope></Envelope>'],
    ['only an end tag', '</Envelope>'],
    ['no end tag', '<Envelope><Body>'],
    ['a broken tag', '<Envelope><Body'],
    ['an attribute without quotes', '<Envelope a=b/>'],
    ['an attribute without a value', '<Envelope a/>'],
    ['attributes that touch', '<Envelope a="b"c="d"/>'],
    ['a tag in an attribute', '<Envelope a="<b>"/>'],
    ['an empty name', '< />'],
    ['a name of digits', '<1/>'],
    ['two colons', '<a:b:c/>'],
    ['character data without an end', '<Envelope><![CDATA[x</Envelope>'],
  ])('%s', (_name, xml) => {
    expect(texts(xml)).toBeNull();
  });

  test('every truncated document', () => {
    const xml = `<?xml version="1.0"?>${envelope('<Code a="1">&#48;</Code><Name><![CDATA[x]]></Name>')}`;
    expect(texts(xml)).toEqual({ Code: '0', Name: 'x' });
    for (let length = 0; length < xml.length; length++) {
      expect(texts(xml.slice(0, length)), xml.slice(0, length)).toBeNull();
    }
  });

  test('too deep, or a name too long', () => {
    expect(texts('<a>'.repeat(32) + '</a>'.repeat(32))).toEqual({});
    expect(texts('<a>'.repeat(33) + '</a>'.repeat(33))).toBeNull();
    expect(texts(`<${'a'.repeat(64)}/>`)).toEqual({});
    expect(texts(`<${'a'.repeat(65)}/>`)).toBeNull();
  });

  test('throws for no input', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '/>',
      '&',
      ';',
      '"',
      '=',
      ' ',
      'a',
      ':',
      '<![CDATA[',
      ']]>',
      '<Envelope',
      '<Body>',
      '<Code>',
      '&#x110000;',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        texts(pieces.join(''));
      }),
    );
  });
});

describe('hostile documents cost linear time', () => {
  /** Sixteen times the largest real input: at quadratic cost this would take minutes. */
  const SIZE = 1024 * 1024;
  const fill = (part: string) => part.repeat(Math.ceil(SIZE / part.length));

  test.each([
    ['brackets', fill('<')],
    ['open elements', fill('<a>')],
    ['siblings', envelope(fill('<a/>'))],
    ['a long name', `<${fill('a')}>`],
    ['attributes', `<a${fill(' a="b"')}`],
    ['attributes without end', `<a${fill(' a="')}`],
    ['space in a tag', `<a${fill(' ')}`],
    ['space before an equals sign', `<a b${fill(' ')}`],
    ['space in front', fill(' ')],
    ['a declaration without end', `<?xml ${fill(' ')}`],
    ['colons', `<${fill('a:')}`],
    ['ampersands', envelope(`<Code>${fill('&')}</Code>`)],
    ['numbers', envelope(`<Code>${fill('&#1')}</Code>`)],
    ['entities', envelope(`<Code>${fill('&amp;')}</Code>`)],
    ['character data', envelope(`<Code>${fill('<![CDATA[]]>')}</Code>`)],
    ['character data without end', `<a>${fill('<![CDATA[')}`],
    ['quotes', `<a b="${fill("'")}`],
    ['text', envelope(`<Code>${fill('0 ')}</Code>`)],
    ['space around a text', envelope(`<Code>${fill(' ')}0${fill(' ')}</Code>`)],
  ])('%s', (_name, xml) => {
    texts(xml);
  });
});
