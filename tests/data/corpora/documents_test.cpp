// Readers of corpora: what each format says, and what is wrong with it.
#include "strads/data/documents.hpp"

#include "data/fixtures.hpp"
#include "data/zipped_arrays.hpp"

namespace strads::data {
namespace {

using Numbers = std::vector<std::uint32_t>;

Result<Documents> read_documents(const DocumentsInput& input, const std::vector<std::string>& known = {}) {
  SerialChunks serial;
  return load_documents(input, known, serial, {});
}

Documents documents_in(const DocumentsInput& input, const std::vector<std::string>& known = {}) {
  auto read = read_documents(input, known);
  EXPECT_TRUE(read.ok()) << read.status().message();
  return read.ok() ? std::move(read).value() : Documents{};
}

const std::string kThreeDocuments = "3\n4\n4\n1 4 2\n3 2 1\n1 1 3\n3 3 1\n";

TEST(CorporaOfUci, AreDocumentsInOrderWithSortedWords) {
  const TempFolder folder;
  const Documents documents = documents_in({.path = folder.write("docword.txt", kThreeDocuments)});
  EXPECT_EQ(documents.format, DocumentFormat::docword);
  EXPECT_EQ(documents.begins, (std::vector<std::uint64_t>{0, 2, 2, 4}));
  EXPECT_EQ(documents.words, (Numbers{0, 3, 1, 2}));
  EXPECT_EQ(documents.counts, (Numbers{3, 2, 1, 1}));
  EXPECT_EQ(documents.vocabulary, 4U);
  EXPECT_EQ(documents.tokens, 7U);
  EXPECT_EQ(documents.empty, 1U);
  EXPECT_EQ(documents.word(3), "4");
  EXPECT_EQ(documents.document(2), "3");
}

TEST(CorporaOfUci, GetTheirWordsFromAVocabulary) {
  const TempFolder folder;
  const DocumentsInput input{.path = folder.write("docword.txt.gz", gzipped(kThreeDocuments)),
                             .vocabulary = folder.write("vocab.txt", "ape\nbee\ncat\ndog\n")};
  EXPECT_EQ(documents_in(input).word(3), "dog");
}

TEST(CorporaOfUci, WithAWordBeyondTheVocabularyAreRefused) {
  const TempFolder folder;
  const DocumentsInput input{.path = folder.write("docword.txt", kThreeDocuments),
                             .vocabulary = folder.write("vocab.txt", "ape\nbee\n")};
  EXPECT_THAT(read_documents(input), FailsWith("word number 4 is outside of the vocabulary"));
  const DocumentsInput head{.path = folder.write("few.txt", "1\n2\n1\n1 3 1\n")};
  EXPECT_THAT(read_documents(head), FailsWith("few.txt:4:3: word number '3', expected 1 to 2"));
}

TEST(CorporaOfUci, AreRefusedWhereTheyAreCutOffOrNoCounts) {
  const TempFolder folder;
  const auto refused = [&](const std::string& text) { return read_documents({.path = folder.write("f", text)}); };
  EXPECT_THAT(refused("2\n2\n2\n1 1 1\n"), FailsWith("2 entries, but only 6 bytes follow"));
  EXPECT_THAT(refused("2\n2\n2\n1 1 1000000\n"), FailsWith("ends after 1 of 2 entries"));
  EXPECT_THAT(refused("2\n2\n1\n1 1 -3\n"), FailsWith("f:4:5: count -3, expected a whole number from 0"));
  EXPECT_THAT(refused("2\n2\n1\n1 1 1.5\n"), FailsWith("document 1, word 1: count 1.5, expected a whole number"));
  EXPECT_THAT(refused("2\n2\n1\n1 1\n\n\n"), FailsWith("the line ends, expected document, word and count"));
  EXPECT_THAT(refused("2\n2\n1\n1 1 1\n2 1 1\n"), FailsWith("after the last entry"));
  EXPECT_THAT(refused("2\n2\n2\n1 1 1\n1 1 2\n"), FailsWith("document 1, word 1: is there twice"));
  EXPECT_THAT(refused("2\n2\n0\n"), FailsWith("its 2 documents hold no word"));
}

TEST(CorporaOfMatrices, AreTheSameInEveryFormat) {
  const TempFolder folder;
  const Documents expected = documents_in({.path = folder.write("docword.txt", kThreeDocuments)});
  const std::string market = "%%MatrixMarket matrix coordinate integer general\n";
  const DocumentsInput rows{.path = folder.write("rows.mtx", market + "3 4 4\n1 4 2\n3 2 1\n1 1 3\n3 3 1\n")};
  const DocumentsInput columns{.path = folder.write("columns.mtx", market + "4 3 4\n4 1 2\n2 3 1\n1 1 3\n3 3 1\n"),
                               .columns = true};
  const DocumentsInput libsvm{.path = folder.write("rows.svm", "0 1:3 4:2\n0\n0 2:1 3:1\n")};
  const DocumentsInput npz{
      .path =
          folder.write("rows.npz", zipped({{"format", npy("|S3", false, "()", "csr")},
                                           {"shape", npy("<i8", false, "(2,)", raw<std::int64_t>({3, 4}))},
                                           {"data", npy("<i4", false, "(4,)", raw<std::int32_t>({3, 2, 1, 1}))},
                                           {"indices", npy("<i4", false, "(4,)", raw<std::int32_t>({0, 3, 1, 2}))},
                                           {"indptr", npy("<i4", false, "(4,)", raw<std::int32_t>({0, 2, 2, 4}))}}))};
  for (const DocumentsInput& input : {rows, columns, libsvm, npz}) {
    EXPECT_EQ(fingerprint_of(documents_in(input)), fingerprint_of(expected)) << input.path;
  }
}

TEST(CorporaOfMatrices, WithNegativeCountsSayWhere) {
  const TempFolder folder;
  EXPECT_THAT(read_documents({.path = folder.write("f.svm", "0 1:3 4:-2\n")}),
              FailsWith("f.svm: document 1, word 4: count -2, expected a whole number from 0 to 4294967295"));
  EXPECT_THAT(read_documents({.path = folder.write("f.svm", "0 1:0.25\n")}), FailsWith("weights as of tf-idf"));
}

DocumentsInput every_word(const std::string& path) {
  DocumentsInput input{.path = path};
  input.text.documents_min = 1;
  input.text.stop_words = "none";
  return input;
}

TEST(CorporaOfText, AreLinesOfWordsInLowerCase) {
  const TempFolder folder;
  const Documents documents = documents_in(
      every_word(folder.write("f.txt", "The ape, the Ape!\n\nÄpfel_2 \xe2\x80\x9cx\xe2\x80\x9d don't\r\n")));
  EXPECT_EQ(documents.format, DocumentFormat::text);
  EXPECT_EQ(documents.word_names, (std::vector<std::string>{"ape", "don", "the", "äpfel_2"}));
  EXPECT_EQ(documents.begins, (std::vector<std::uint64_t>{0, 2, 2, 4}));
  EXPECT_EQ(documents.words, (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(documents.counts, (Numbers{2, 2, 1, 1}));
  EXPECT_EQ(documents.empty, 1U);
}

TEST(CorporaOfText, LoseStopWordsAndWordsThatAreRareOrCommon) {
  const TempFolder folder;
  DocumentsInput input{.path = folder.write("f.txt", "the cat eats fish\ncat and fish\ncat dog\ncat dog dog\n")};
  input.text.share_max = 0.75;
  const Documents documents = documents_in(input);
  EXPECT_EQ(documents.word_names, (std::vector<std::string>{"dog", "fish"}));
  EXPECT_EQ(documents.left_out.stop_words, 2U);
  EXPECT_EQ(documents.left_out.rare, 1U);
  EXPECT_EQ(documents.left_out.common, 4U);
  EXPECT_EQ(documents.tokens, 5U);
}

TEST(CorporaOfText, KeepTheMostFrequentWordsAlone) {
  const TempFolder folder;
  DocumentsInput input = every_word(folder.write("f.txt", "bb bb aa cc\naa dd cc\n"));
  input.text.words_max = 2;
  const Documents documents = documents_in(input);
  EXPECT_EQ(documents.word_names, (std::vector<std::string>{"aa", "bb"}));
  EXPECT_EQ(documents.left_out.beyond, 3U);
}

TEST(CorporaOfText, MayNameTheirDocuments) {
  const TempFolder folder;
  DocumentsInput input = every_word(folder.write("f.txt", "one\tape bee\ntwo\tbee\n"));
  input.text.named = true;
  const Documents documents = documents_in(input);
  EXPECT_EQ(documents.document_names, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(documents.word_names, (std::vector<std::string>{"ape", "bee"}));
  input.path = folder.write("f.txt", "one\tape\ntwo\n");
  EXPECT_THAT(read_documents(input), FailsWith("f.txt:2:1: found 'two', expected a name, a tab"));
}

TEST(CorporaOfText, HaveTheirOwnStopWords) {
  const TempFolder folder;
  DocumentsInput input = every_word(folder.write("f.txt", "the ape\nthe bee\n"));
  input.text.stop_words = folder.write("stop.txt", "# mine\nApe\n");
  EXPECT_EQ(documents_in(input).word_names, (std::vector<std::string>{"bee", "the"}));
}

TEST(CorporaOfText, InAFolderAreItsFilesByName) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path("texts/b"));
  folder.write("texts/z.txt", "cat");
  folder.write("texts/b/a.txt", "ape\nape");
  folder.write("texts/.hidden", "dog");
  const Documents documents = documents_in(every_word(folder.path("texts")));
  EXPECT_EQ(documents.document_names, (std::vector<std::string>{"b/a.txt", "z.txt"}));
  EXPECT_EQ(documents.counts, (Numbers{2, 1}));
}

TEST(CorporaOfText, ThatHoldNoWordSayWhy) {
  const TempFolder folder;
  EXPECT_THAT(read_documents({.path = folder.write("f.txt", "the cat\na dog\n")}),
              FailsWith("its 2 documents hold no word: all 3 were left out (1 stop words, 2 of words"));
}

/// Runs pieces backwards.
class Backwards final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = count; i > 0; --i) piece(i - 1);
  }
};

TEST(CorporaOfText, AreTheSameInWhateverOrderPiecesAreRead) {
  const TempFolder folder;
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "w" + std::to_string(k % 37) + " w" + std::to_string(k % 11) + " common\n";
  const DocumentsInput input = every_word(folder.write("f.txt", text));
  Backwards backwards;
  const auto other = load_documents(input, {}, backwards, {});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(fingerprint_of(other.value()), fingerprint_of(documents_in(input)));
}

TEST(CorporaForAModel, AreNumberedByItsWords) {
  const TempFolder folder;
  const std::vector<std::string> known = {"dog", "bee", "cow"};
  const Documents text = documents_in({.path = folder.write("f.txt", "a dog, a cow, a yak\n")}, known);
  EXPECT_EQ(text.words, (Numbers{0, 2}));
  EXPECT_EQ(text.unknown, 1U);  // stop words are no unknown ones
  EXPECT_EQ(text.vocabulary, 3U);
  const Documents named = documents_in({.path = folder.write("docword.txt", kThreeDocuments),
                                        .vocabulary = folder.write("vocab.txt", "ape\nbee\ncat\ndog\n")},
                                       known);
  EXPECT_EQ(named.words, (Numbers{0, 1}));
  EXPECT_EQ(named.counts, (Numbers{2, 1}));
  EXPECT_EQ(named.unknown, 4U);
  EXPECT_THAT(read_documents({.path = folder.path("docword.txt")}, known),
              FailsWith("word number 4 is outside of the model's vocabulary of 3 words"));
}

TEST(CorporaForAModel, HaveAShapeBeforeTheyAreRead) {
  const TempFolder folder;
  SerialChunks serial;
  const DocumentsInput input{.path = folder.write("docword.txt", kThreeDocuments)};
  const auto quick = look_at_documents(input, false, serial), thorough = look_at_documents(input, true, serial);
  ASSERT_TRUE(quick.ok() && thorough.ok());
  EXPECT_EQ(quick.value().documents, 3U);
  EXPECT_EQ(quick.value().entries, 4U);
  EXPECT_EQ(thorough.value().tokens, 7U);
  EXPECT_TRUE(thorough.value().exact);
}

}  // namespace
}  // namespace strads::data
