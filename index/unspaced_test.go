package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// unspacedRuns are queries of scripts without spaces, each with a page about it that
// does not have them as they are, one that does, and one that has little of it.
var unspacedRuns = []struct{ query, page, exact, other string }{
	{"北京天气预报", "北京今天的天气预报", "明日北京天气预报查询", "上海的交通"},
	{"上海地铁票价", "上海市地铁的票价", "查上海地铁票价", "北京的公园"},
	{"机器学习入门", "机器的学习:入门教程", "给新手的机器学习入门", "音乐的历史"},
	{"红烧肉做法", "红烧五花肉的家常做法,红烧肉", "妈妈的红烧肉做法", "电影票"},
	{"春节放假安排", "今年春节的放假时间安排", "二〇二六年春节放假安排", "秋天的树"},
	{"杭州西湖旅游", "杭州的西湖旅游攻略", "去杭州西湖旅游", "南京大学"},
	{"臺北捷運路線圖", "臺北大眾捷運的路線圖", "下載臺北捷運路線圖", "高雄的天氣"},
	{"人民幣匯率", "人民幣對美元的匯率", "今日人民幣匯率", "股票的價格"},
	{"二手車買賣", "二手的車:買賣須知,二手車", "網上二手車買賣", "房屋"},
	{"東京ホテル", "東京のホテル一覧", "安い東京ホテル予約", "大阪の料理"},
	{"京都観光地図", "京都の観光に便利な地図", "無料の京都観光地図", "北海道の魚"},
	{"東京スカイツリー営業時間", "東京のスカイツリーは営業しています。時間は", "東京スカイツリー営業時間のご案内", "銀行の支店"},
	{"新幹線予約方法", "新幹線の予約をする方法", "簡単な新幹線予約方法", "飛行機"},
	{"ラーメンおすすめ", "おすすめのラーメン屋", "札幌のラーメンおすすめ店", "寿司"},
	{"日本語文法入門", "日本語の文法、入門編", "外国人の日本語文法入門", "英会話"},
	{"天気予報東京", "東京の天気予報", "今日の天気予報東京版", "大阪の地図"},
	{"桜開花予想", "桜の開花の予想", "今年の桜開花予想です", "紅葉の名所"},
	{"大阪城入場料", "大阪城公園の入場料", "小学生の大阪城入場料は無料", "神戸の港"},
	{"서울맛집", "서울의 맛집", "강남 서울맛집 추천", "부산 바다"},
	{"제주도여행코스", "제주도 가족 여행 추천 코스", "삼일 제주도여행코스", "대전 날씨"},
	{"부산날씨예보", "부산 내일 날씨 예보", "주말 부산날씨예보", "서울 지하철"},
	{"한국어문법", "한국어 기초 문법", "쉬운 한국어문법 책", "영어 단어"},
	{"지하철노선도", "서울 지하철 노선도", "최신 지하철노선도", "버스 요금"},
	{"김치찌개만드는법", "김치찌개 맛있게 만드는 법", "엄마의 김치찌개만드는법", "라면"},
	{"중고차가격비교", "중고차 가격을 비교", "무료 중고차가격비교", "새 자전거"},
	{"ร้านอาหารกรุงเทพ", "ร้านอาหารอร่อยในกรุงเทพ", "แนะนำร้านอาหารกรุงเทพ", "โรงเรียนภูเก็ต"},
	{"โรงแรมเชียงใหม่", "โรงแรมราคาถูกในเชียงใหม่", "จองโรงแรมเชียงใหม่", "ตลาดน้ำ"},
	{"ราคาทองวันนี้", "ราคาของทองในวันนี้", "เช็คราคาทองวันนี้", "ข่าวกีฬา"},
	{"เที่ยวทะเลใต้", "เที่ยวชมทะเลทางใต้", "โปรแกรมเที่ยวทะเลใต้", "หนังสือ"},
	{"สูตรแกงเขียวหวาน", "สูตรทำแกงไก่เขียวหวาน", "รวมสูตรแกงเขียวหวาน", "รถยนต์"},
	{"พยากรณ์อากาศกรุงเทพ", "พยากรณ์สภาพอากาศของกรุงเทพ", "ดูพยากรณ์อากาศกรุงเทพ", "เพลงไทย"},
	{"เรียนภาษาอังกฤษฟรี", "เรียนพูดภาษาอังกฤษได้ฟรี", "คอร์สเรียนภาษาอังกฤษฟรี", "ปลาทอง"},
	{"ຮ້ານອາຫານວຽງຈັນ", "ຮ້ານອາຫານໃນວຽງຈັນ", "ແນະນຳຮ້ານອາຫານວຽງຈັນ", "ໂຮງຮຽນ"},
	{"ໂຮງແຮມຫຼວງພະບາງ", "ໂຮງແຮມຢູ່ຫຼວງພະບາງ", "ຈອງໂຮງແຮມຫຼວງພະບາງ", "ຕະຫຼາດ"},
	{"សណ្ឋាគារភ្នំពេញ", "សណ្ឋាគារនៅភ្នំពេញ", "កក់សណ្ឋាគារភ្នំពេញ", "សាលារៀន"},
	{"ភោជនីយដ្ឋានសៀមរាប", "ភោជនីយដ្ឋាននៅសៀមរាប", "រកភោជនីយដ្ឋានសៀមរាប", "ទូក"},
	{"ရန်ကုန်ဟိုတယ်", "ရန်ကုန်မြို့ရှိဟိုတယ်", "ဈေးပေါရန်ကုန်ဟိုတယ်", "ကျောင်း"},
	{"မြန်မာစာသင်ခန်းစာ", "မြန်မာစာအတွက်သင်ခန်းစာ", "အခမဲ့မြန်မာစာသင်ခန်းစာ", "ငါး"},
	{"iPhone手机壳", "适合iPhone的手机壳", "透明iPhone手机壳", "咖啡"},
	{"Python入門講座", "Pythonの入門と講座", "無料Python入門講座", "釣り"},
}

// A run without spaces finds what has much of it, ranks what has it as it is higher,
// and as a phrase finds only that.
func TestUnspacedRuns(t *testing.T) {
	t.Parallel()
	for _, scorer := range []rank.Scorer{rank.BM25{}, nil} {
		for _, c := range unspacedRuns {
			var docs []index.Document
			for key, text := range map[string]string{"page": c.page, "exact": c.exact, "other": c.other} {
				docs = append(docs, index.Document{Key: key, Fields: []index.Field{{Name: "text", Value: text}}})
			}
			ix := filledIndex(index.Options{Schema: index.Schema{{Name: "text", Kind: index.Text, Analyzer: "standard", Stored: true}}}, docs...)
			keys := func(q query.Query) (keys []string) {
				res, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 10, Scorer: scorer, Snippets: map[string]highlight.Options{"text": {}}})
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range res.Hits {
					keys = append(keys, h.Key)
					if text := h.Snippets["text"].HTML(); !strings.Contains(text, "<mark>") {
						t.Errorf("%s: nothing is marked in %s", c.query, text)
					}
				}
				return keys
			}
			if got := keys(query.Match{Text: c.query}); !slices.Equal(got, []string{"exact", "page"}) {
				t.Errorf("%T: %s finds %q", scorer, c.query, got)
			}
			if got := keys(query.Phrase{Text: c.query}); !slices.Equal(got, []string{"exact"}) {
				t.Errorf("%T: the phrase %s finds %q", scorer, c.query, got)
			}
			if err := ix.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
